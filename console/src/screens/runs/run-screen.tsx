import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { RunSnapshot } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Identifier } from '../../ui/identifier.tsx'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { RunActions } from './run-actions.tsx'
import { RunAgents } from './run-agents.tsx'
import { RunConversation } from './run-conversation.tsx'
import { RunDecisions } from './run-decisions.tsx'
import { RunDiffView } from './run-diff.tsx'
import { RunFamily } from './run-family.tsx'
import { RunGantt } from './run-gantt.tsx'
import { RunMemory } from './run-memory.tsx'
import { RunTimeline } from './run-timeline.tsx'
import { isEnded, toneOf } from './status.ts'

const refetchMs = 1_000

export function RunScreen() {
  const { runId } = useParams({ from: '/runs/$runId' })
  const [search, change] = useAddress()
  const run = useQuery<RunSnapshot>({
    queryKey: ['live', 'run', runId],
    queryFn: ({ signal }) => api.runs.get(runId, { signal }),
    refetchInterval: (query) => (isEnded(query.state.data?.status ?? '') ? false : refetchMs),
  })
  if (run.isPending) return <Loading />
  if (hasFailed(run)) return <Failure error={run.error} onRetry={() => run.refetch()} />
  const { workflowId, status, snapshot, error } = run.data
  const hasEnded = isEnded(status)
  return (
    <>
      <ScreenTitle title={workflowId} actions={<RunActions runId={runId} status={status} />}>
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={toneOf(status)}>{status}</Badge>
          <Identifier value={runId} length={40} />
          snapshot at position {snapshot.position}, <Time at={snapshot.at} />
          <RunFamily run={run.data} />
          {run.data.interrupt !== undefined && (
            <Link to="/inbox" className="text-accent underline">
              Answer it in the inbox
            </Link>
          )}
        </span>
      </ScreenTitle>
      {error !== undefined && (
        <p role="alert" className="mb-4 rounded-md border border-bad p-3">
          <code className="font-mono text-xs">{error.code}</code> {error.message}
        </p>
      )}
      <Tabs
        value={search.tab ?? 'timeline'}
        onChange={(tab) => change({ tab }, true)}
        tabs={[
          { id: 'timeline', name: 'Timeline', content: <Timeline run={run.data} hasEnded={hasEnded} /> },
          { id: 'memory', name: 'Memory read and written', content: <RunMemory runId={runId} hasEnded={hasEnded} /> },
          { id: 'agents', name: 'Agents', content: <RunAgents runId={runId} hasEnded={hasEnded} /> },
          { id: 'decisions', name: 'Decisions', content: <RunDecisions runId={runId} hasEnded={hasEnded} /> },
          {
            id: 'conversation',
            name: 'Conversation',
            content: <RunConversation run={run.data} hasEnded={hasEnded} />,
          },
          { id: 'variables', name: 'Variables', content: <Variables values={run.data.variables} /> },
          { id: 'diff', name: 'Compare', content: <RunDiffView runId={runId} workflowId={workflowId} /> },
        ]}
      />
    </>
  )
}

function Timeline({ run, hasEnded }: { readonly run: RunSnapshot; readonly hasEnded: boolean }) {
  return (
    <>
      <RunGantt run={run} />
      <RunTimeline runId={run.runId} hasEnded={hasEnded} />
    </>
  )
}

function Variables({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  return (
    <pre className="overflow-x-auto rounded-md border border-line bg-raised p-4 font-mono text-xs whitespace-pre-wrap">
      {JSON.stringify(values, null, 2)}
    </pre>
  )
}
