import { useQuery } from '@tanstack/react-query'
import { api } from './api.ts'
import { useCaller } from './caller.ts'

/** Not a live query: a write of others does not have the whole chain verified again. */
const chainKey = ['chain'] as const
const contentsKey = ['chain', 'contents'] as const

/** Whether the audit chain is intact, and when that was checked: when the console is opened, and on request with the contents of every row. */
export function useChain() {
  const { data: caller } = useCaller()
  const chain = useQuery({
    queryKey: chainKey,
    enabled: caller?.scopes.includes('audit:read') === true,
    queryFn: async ({ signal }) => ({ ...(await api.audit.verify({}, { signal })), at: new Date().toISOString() }),
    staleTime: 10 * 60_000,
    refetchOnWindowFocus: false,
  })
  const contents = useQuery({
    queryKey: contentsKey,
    enabled: false,
    queryFn: async ({ signal }) => ({
      ...(await api.audit.verify({ contents: 'true' }, { signal })),
      at: new Date().toISOString(),
    }),
  })
  const isOfContents = contents.data !== undefined && contents.data.at >= (chain.data?.at ?? '')
  return {
    state: isOfContents ? contents.data : chain.data,
    isOfContents,
    isBusy: chain.isFetching || contents.isFetching,
    error: chain.error ?? contents.error,
    verify: () => void chain.refetch(),
    verifyContents: () => void contents.refetch(),
  }
}
