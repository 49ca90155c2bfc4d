import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'

const refetchMs = 1_000

/** The whole log of a run; fetched again while it grows. */
export function useRunEvents(runId: string, isOver: boolean) {
  return useQuery({
    queryKey: ['live', 'run-events', runId, isOver],
    queryFn: ({ signal }) => api.runs.events(runId, { streamMode: 'debug' }, { signal }),
    select: (list) => list.events,
    refetchInterval: isOver ? false : refetchMs,
  })
}
