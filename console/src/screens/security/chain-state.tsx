import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** Whether the chain is intact, and when that was checked. It is checked when a person opens the screen, and on request with contents. */
export function ChainState() {
  const queries = useQueryClient()
  const chain = useQuery({
    // Not a live query: a write of others does not have the whole chain verified again.
    queryKey: ['chain'],
    queryFn: async ({ signal }) => ({ ...(await api.audit.verify({}, { signal })), at: new Date().toISOString() }),
    staleTime: 60_000,
  })
  const contents = useQuery({
    queryKey: ['chain', 'contents'],
    enabled: false,
    queryFn: async ({ signal }) => ({
      ...(await api.audit.verify({ contents: 'true' }, { signal })),
      at: new Date().toISOString(),
    }),
  })
  const { data } = contents.data === undefined ? chain : contents
  const isBusy = chain.isFetching || contents.isFetching
  return (
    <div className="flex flex-wrap items-center gap-3 border-line border-b px-4 py-2">
      {data !== undefined && (
        <p role="status" className={data.chainValid ? 'text-good' : 'text-bad'}>
          {data.chainValid ? (
            <>
              Chain verified <Time at={data.at} short />: intact from {data.fromSeq} to {data.toSeq}
              {contents.data === undefined ? '.' : ', with the contents of every stored row.'}
            </>
          ) : (
            `The chain is broken: ${data.anomalies.length} anomalies.`
          )}
        </p>
      )}
      <Button
        small
        disabled={isBusy}
        onClick={() => void queries.invalidateQueries({ queryKey: ['chain'], exact: true })}
      >
        {isBusy ? 'Verifying …' : 'Verify'}
      </Button>
      <Button small disabled={isBusy} onClick={() => void contents.refetch()}>
        Verify contents
      </Button>
      {(chain.isError || contents.isError) && <Failure error={chain.error ?? contents.error} />}
    </div>
  )
}
