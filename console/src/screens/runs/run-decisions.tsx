import { Link } from '@tanstack/react-router'
import type { RunEvent } from '../../../../src/client/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { toneOf } from './status.ts'
import { useRunEvents } from './use-run-events.ts'

type Values = Readonly<Record<string, unknown>>

/** What the supervisor of the run decided, turn by turn: the workers, the confidence, and what was held back for a person. */
export function RunDecisions({ runId, hasEnded }: { readonly runId: string; readonly hasEnded: boolean }) {
  const events = useRunEvents(runId, hasEnded)
  if (events.isPending) return <Loading />
  if (hasFailed(events)) return <Failure error={events.error} onRetry={() => events.refetch()} />
  const steps = events.data.filter(isStep)
  if (steps.length === 0) return <Empty title="No supervisor has decided in this run." />
  return (
    <Panel title="Decisions of the supervisor">
      <ol aria-label="Decisions" className="divide-y divide-line">
        {steps.map((event) => (
          <li key={event.sequence} className="flex flex-wrap items-center gap-2 px-4 py-2">
            <Step event={event} />
            <span className="text-muted text-xs">event {event.sequence}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function isStep({ type, payload }: RunEvent): boolean {
  if (type === 'node.suspended') return (payload as Values).reason === 'low-confidence'
  return ['runOrchestrator.decided', 'core.workflowChain.confidence-escalated', 'node.dispatched'].includes(type)
}

/** One step, in words. What the decision says is shown as text, whatever is in it. */
function Step({ event }: { readonly event: RunEvent }) {
  const payload = event.payload as Values
  switch (event.type) {
    case 'node.dispatched':
      return <Dispatched payload={payload} />
    case 'runOrchestrator.decided': {
      const decision = (payload.decision ?? {}) as Values
      return (
        <>
          <Badge tone="accent">{String(decision.kind)}</Badge>
          <span className="min-w-0 break-words">{wordsOf(decision)}</span>
          {typeof decision.confidence === 'number' && (
            <span className="text-muted text-xs">confidence {decision.confidence}</span>
          )}
          <span className="text-muted text-xs">by {String(payload.agentId)}</span>
        </>
      )
    }
    default: {
      const { confidence, observed, floor, threshold } = payload
      return (
        <>
          <Badge tone="warn">held back</Badge>
          <span>
            The confidence {String(confidence ?? observed)} is below {String(floor ?? threshold)}: a person is asked.
          </span>
        </>
      )
    }
  }
}

function Dispatched({ payload }: { readonly payload: Values }) {
  const { childRunId, childWorkflowId, childStatus } = payload
  return (
    <>
      <Badge>started</Badge>
      <Link to="/runs/$runId" params={{ runId: String(childRunId) }} className="text-accent underline">
        {String(childWorkflowId)}
      </Link>
      {typeof childStatus === 'string' && <Badge tone={toneOf(childStatus)}>{childStatus}</Badge>}
    </>
  )
}

function wordsOf({ kind, nextWorkerIds, prompt, reason }: Values): string {
  if (kind === 'next-worker' && Array.isArray(nextWorkerIds)) return nextWorkerIds.map(String).join(', ')
  const text = kind === 'ask-user' ? prompt : reason
  return text === undefined ? '' : String(text)
}
