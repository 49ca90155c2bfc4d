import { useQuery } from '@tanstack/react-query'
import type { Writer } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'

/** All writers of the tenant. */
export function useWriters() {
  return useQuery({
    queryKey: ['live', 'writers'],
    queryFn: async ({ signal }) => {
      const all: Writer[] = []
      for await (const writer of api.writers.each({ limit: 100 }, { signal })) all.push(writer)
      return all
    },
  })
}
