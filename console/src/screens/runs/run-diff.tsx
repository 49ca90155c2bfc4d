import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { Badge } from '../../ui/badge.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { RunPicker } from './run-picker.tsx'

/** The logs of two runs side by side, from the first difference. */
export function RunDiffView({ runId, workflowId }: { readonly runId: string; readonly workflowId: string }) {
  const [search, change] = useAddress()
  return (
    <Panel
      title="Compare with another run"
      actions={
        <div className="flex flex-wrap gap-2">
          <RunPicker
            runId={runId}
            workflowId={workflowId}
            value={search.against}
            onChoose={(against) => change({ against })}
          />
          <ApplyingField label="Run id" value={search.against} onApply={(against) => change({ against })} />
        </div>
      }
    >
      {search.against === undefined ? (
        <Empty title="Choose another run of this workflow, or enter its id." />
      ) : (
        <Differences runId={runId} against={search.against} />
      )}
    </Panel>
  )
}

function Differences({ runId, against }: { readonly runId: string; readonly against: string }) {
  const diff = useQuery({
    queryKey: ['live', 'run-diff', runId, against],
    queryFn: ({ signal }) => api.runs.diff(runId, against, { signal }),
  })
  if (diff.isPending) return <Loading />
  if (hasFailed(diff)) return <Failure error={diff.error} onRetry={() => diff.refetch()} />
  const { divergedAtSeq, eventDiffs } = diff.data
  if (divergedAtSeq === null) return <Empty title="Identical" />
  return (
    <div className="p-4">
      <p className="mb-3">The first difference is at event {divergedAtSeq}.</p>
      <ol className="space-y-2">
        {eventDiffs.map((entry) => (
          <li key={entry.seq} className="rounded-md border border-line p-2">
            <p className="mb-1 flex items-center gap-2">
              <Badge tone={entry.op === 'changed' ? 'warn' : entry.op === 'added' ? 'good' : 'bad'}>{entry.op}</Badge>
              <span className="font-mono text-xs">event {entry.seq}</span>
            </p>
            <div className="grid gap-2 sm:grid-cols-2">
              {[entry.aEvent, entry.bEvent].map((event, side) => (
                <pre
                  key={side === 0 ? 'this' : 'other'}
                  className="overflow-x-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap"
                >
                  {event === undefined ? '–' : JSON.stringify(event, null, 2)}
                </pre>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </div>
  )
}
