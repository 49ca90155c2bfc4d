import { useQuery } from '@tanstack/react-query'
import type { RunEvent } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { EntryLink } from './entry-link.tsx'
import { useRunEvents } from './use-run-events.ts'

type Payload = Readonly<Record<string, unknown>>

/** What each agent of the run saw and decided, from its events and its reads. */
export function RunAgents({ runId, hasEnded }: { readonly runId: string; readonly hasEnded: boolean }) {
  const events = useRunEvents(runId, hasEnded)
  const reads = useQuery({
    queryKey: ['live', 'run-reads', runId, hasEnded],
    queryFn: ({ signal }) => api.runs.reads(runId, { signal }),
  })
  if (events.isPending || reads.isPending) return <Loading />
  if (hasFailed(events)) return <Failure error={events.error} onRetry={() => events.refetch()} />
  if (hasFailed(reads)) return <Failure error={reads.error} onRetry={() => reads.refetch()} />
  const acted = events.data.filter(({ type, nodeId }) => type.startsWith('agent.') && typeof nodeId === 'string')
  const nodes = [...new Set(acted.map(({ nodeId }) => String(nodeId)))]
  if (nodes.length === 0) return <Empty title="No agent has acted in this run." />
  return (
    <div className="space-y-4">
      {nodes.map((nodeId) => {
        const own = acted.filter((event) => event.nodeId === nodeId)
        const seen = reads.data.reads.filter((read) => read.nodeId === nodeId).flatMap(({ entryIds }) => entryIds)
        return (
          <Panel key={nodeId} title={`${agentOf(own)}, node ${nodeId}`}>
            <p className="flex flex-wrap items-center gap-2 px-4 py-2">
              Memories read: {seen.length}
              {[...new Set(seen)].map((id) => (
                <EntryLink key={id} id={id} />
              ))}
            </p>
            <ol aria-label={`What the agent of ${nodeId} did`} className="divide-y divide-line">
              {own.map((event) => (
                <Step key={event.sequence} event={event} />
              ))}
            </ol>
          </Panel>
        )
      })}
    </div>
  )
}

function agentOf([first]: readonly RunEvent[]): string {
  const { agentId, fromAgentId } = (first?.payload ?? {}) as Payload
  return String(agentId ?? fromAgentId ?? 'an agent')
}

/** One event of an agent, in words where they are known. The payload is shown as text, whatever is in it. */
function Step({ event }: { readonly event: RunEvent }) {
  const payload = event.payload as Payload
  const { confidence } = payload
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-2">
      <Badge tone={event.type === 'agent.decided' ? 'accent' : 'neutral'}>{event.type.replace(/^agent\./, '')}</Badge>
      <span className="min-w-0 break-words">{textOf(event.type, payload)}</span>
      {typeof confidence === 'number' && <span className="text-muted text-xs">confidence {confidence}</span>}
      <span className="text-muted text-xs">event {event.sequence}</span>
    </li>
  )
}

function textOf(type: string, payload: Payload): string {
  switch (type) {
    case 'agent.reasoned':
      return String(payload.reasoning)
    case 'agent.toolCalled':
      return String(payload.toolName)
    case 'agent.toolReturned':
      return `${String(payload.toolName)} ${JSON.stringify(payload.error ?? payload.outcome ?? null)}`
    case 'agent.decided':
      return JSON.stringify(payload.decision)
    case 'agent.handoff':
      return `to ${String(payload.toAgentId)}`
    case 'agent.invocation.completed':
      return String(payload.outcome)
    default:
      return ''
  }
}
