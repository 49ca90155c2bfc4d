import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isClientError, type Memory } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** What used a memory, for the panel and the graph. */
export function useUses({ memory_ref: ref, id }: Memory) {
  return useQuery({
    queryKey: ['live', 'uses', ref, id],
    queryFn: ({ signal }) => api.memory.uses(ref, id, { signal }),
  })
}

/** The runs that read the memory, with "changed since" beside an older version, and what was derived from it. */
export function UsesPanel({ memory }: { readonly memory: Memory }) {
  const uses = useUses(memory)
  const isForbidden = uses.isError && isClientError(uses.error) && uses.error.status === 403
  return (
    <Panel title="Where it was used">
      {uses.isPending && <Loading />}
      {isForbidden && <p className="p-4 text-muted">Runs are shown to keys with the scope runs:read.</p>}
      {uses.isError && !isForbidden && <Failure error={uses.error} onRetry={() => uses.refetch()} />}
      {uses.isSuccess && (
        <div className="p-4">
          {uses.data.runs.length === 0 && <p className="text-muted">No run has read it.</p>}
          <ul aria-label="Runs that read it" className="space-y-2">
            {uses.data.runs.map(({ runId, workflowId, nodeId, version, position, at }) => (
              <li key={runId} className="flex flex-wrap items-center gap-2">
                <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
                  {workflowId}
                </Link>
                <span className="text-muted">
                  read it in {nodeId}, <Time at={at} short />
                </span>
                {version !== memory.version && (
                  <>
                    <Badge tone="warn">changed since</Badge>
                    <Link
                      to="/memories/$id"
                      params={{ id: memory.id }}
                      search={{ asOf: String(position) }}
                      className="text-accent text-xs underline"
                    >
                      what the run saw
                    </Link>
                  </>
                )}
              </li>
            ))}
          </ul>
          {!uses.data.isComplete && (
            <p className="mt-2 text-muted text-xs">Of the newest {uses.data.runsSearched} runs.</p>
          )}
          {uses.data.derived.length > 0 && (
            <>
              <h3 className="mt-4 mb-1 font-medium">Derived from it</h3>
              <ul className="space-y-1">
                {uses.data.derived.map(({ compactionId, outputId, at }) => (
                  <li key={compactionId}>
                    <Link to="/memories/$id" params={{ id: outputId }} className="text-accent underline">
                      A summary
                    </Link>{' '}
                    <span className="text-muted">
                      <Time at={at} short />
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </Panel>
  )
}
