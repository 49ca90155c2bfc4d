import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunListQuery } from '../../../../src/client/index.ts'
import { runStatuses } from '../../../../src/core/run/run.ts'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { Badge } from '../../ui/badge.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Panel, ScreenTitle } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { toneOf } from './status.ts'

/** The change stream does not report runs, so the list is also fetched periodically. */
const refetchMs = 3_000

export function RunsScreen() {
  const [search, change] = useAddress()
  const { status, workflow } = search
  const query = { workflowId: workflow, status } as Pick<RunListQuery, 'workflowId' | 'status'>
  const pages = useInfiniteQuery({
    queryKey: ['live', 'runs', status, workflow],
    queryFn: ({ pageParam, signal }) => api.runs.list({ ...query, limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: refetchMs,
  })
  const runs = pages.data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <>
      <ScreenTitle title="Runs">What each run read and wrote.</ScreenTitle>
      <Panel
        title="Runs"
        actions={
          <div className="flex gap-2">
            <ApplyingField label="Workflow" value={workflow} onApply={(value) => change({ workflow: value })} />
            <SelectField
              label="Status"
              hideLabel
              value={status ?? ''}
              onChange={(event) => change({ status: event.target.value || undefined })}
            >
              <option value="">every status</option>
              {runStatuses.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </SelectField>
          </div>
        }
      >
        <PagedList
          pages={pages}
          empty={
            <Empty title="No runs.">
              A run executes a workflow on a snapshot of memory and keeps a log of its events.
            </Empty>
          }
          className="h-[65vh]"
          label="List of runs"
          items={runs}
          keyOf={({ runId }) => runId}
          rowHeight={44}
          render={(run) => (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
              <Badge tone={toneOf(run.status)}>{run.status}</Badge>
              <Link to="/runs/$runId" params={{ runId: run.runId }} className="font-medium text-accent underline">
                {run.workflowId}
              </Link>
              <span className="text-muted text-xs">version {run.workflowVersion}</span>
              <Identifier value={run.runId} />
              <span className="text-muted text-xs">
                <Time at={run.createdAt} short />
              </span>
              {run.sourceRunId !== undefined && <Badge>fork</Badge>}
              {run.parentRunId !== undefined && <Badge>child run</Badge>}
              {run.tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </div>
          )}
        />
      </Panel>
    </>
  )
}
