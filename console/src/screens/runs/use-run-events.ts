import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'

const refetchMs = 1_000

/** The log of a run. It is fetched periodically until the run has ended. */
export function useRunEvents(runId: string, hasEnded: boolean) {
  return useQuery({
    queryKey: ['live', 'run-events', runId, hasEnded],
    queryFn: ({ signal }) => api.runs.events(runId, { streamMode: 'debug' }, { signal }),
    select: (list) => list.events,
    refetchInterval: hasEnded ? false : refetchMs,
  })
}
