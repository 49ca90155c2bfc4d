import { invariant } from '../../../core/invariant.ts'
import { v2Error } from '../errors.ts'

/**
 * The code map: the name of every event type in version 1 and in version 2. Logs are stored with the names of version 1 and rendered
 * for each wire, so no stored log is ever rewritten.
 */

/** Types that have the same name in both versions. */
const unchanged = `
run.started run.completed run.failed run.cancelled run.paused run.resumed run.restored-from-snapshot
node.started node.completed node.failed node.suspended node.suspend-failed node.resumed node.retried node.skipped node.cancelled
node.dispatched approval.requested approval.received approval.granted approval.rejected approval.overridden
clarification.requested clarification.resolved interrupt.requested interrupt.resolved channel.written channel.presence
context.summarized artifact.created output.chunk variable.changed log.appended version.pinned workflow.restored
workflow.loopback-limit workflow.stalled cap.breached lease.acquired lease.renewed lease.lost lease.handed-off replay.diverged
agent.reasoned agent.handoff agent.decided agent.verified provider.usage prompt.composed envelope.refusal envelope.truncated
eval.started eval.scored eval.completed deployment.promoted deployment.rolled-back egress.decided
budget.reserved budget.consumed budget.exhausted conversation.opened conversation.exchanged conversation.closed
memory.compacted memory.written commitment.fired workspace.updated connector.authorized authorization.decided
proposal.created proposal.activated goal.evaluated goal.closed import.applied voice.transcript voice.cancelled
compensation.requested compensation.started compensation.completed compensation.failed compensation.paused
`
  .trim()
  .split(/\s+/)

/** Types that version 2 has renamed. */
const renamed: Readonly<Record<string, string>> = {
  'run.resuming': 'run.resume-started',
  'run.dead_lettered': 'run.dead-lettered',
  'replay.divergedAtRefusal': 'replay.diverged-at-refusal',
  'agent.reasoning.delta': 'agent.reasoning-delta',
  'agent.promptResolved': 'agent.prompt-resolved',
  'model.capability.substituted': 'model.capability-substituted',
  'model.capability.insufficient': 'model.capability-insufficient',
  'envelope.retry.attempted': 'envelope.retry-attempted',
  'envelope.retry.exhausted': 'envelope.retry-exhausted',
  'envelope.nlToFormat.engaged': 'envelope.nl-to-format-engaged',
  'envelope.recovery.applied': 'envelope.recovery-applied',
  'agent.toolCalled': 'agent.tool-called',
  'agent.toolReturned': 'agent.tool-returned',
  'agent.invocation.started': 'agent.invocation-started',
  'agent.invocation.completed': 'agent.invocation-completed',
  'deployment.canary.adjusted': 'deployment.canary-adjusted',
  'deployment.state.changed': 'deployment.state-changed',
  'roster.run.initiated': 'roster.run-initiated',
  'tool.session.opened': 'tool.session-opened',
  'tool.session.closed': 'tool.session-closed',
  'trigger.subscription.state.changed': 'trigger.subscription-state-changed',
  'trigger.delivery.attempted': 'trigger.delivery-attempted',
  'budget.threshold.crossed': 'budget.threshold-crossed',
  'runOrchestrator.decided': 'orchestrator.decided',
  'core.dispatch.fanOut': 'dispatch.fanned-out',
  'core.dispatch.join': 'dispatch.joined',
  'agent.memory.consolidated': 'agent.memory-consolidated',
  'core.workflowChain.event': 'workflow-chain.event',
  'core.workflowChain.confidence-escalated': 'workflow-chain.confidence-escalated',
  'connector.auth_expired': 'connector.auth-expired',
  'voice.speech_start': 'voice.speech-start',
  'voice.endpoint_candidate': 'voice.endpoint-candidate',
  'voice.turn_commit': 'voice.turn-commit',
  'voice.synthesis_chunk': 'voice.synthesis-chunk',
  'voice.barge_in': 'voice.barge-in',
  'compensation.manual_intervention_required': 'compensation.manual-intervention-required',
}

const rows: readonly (readonly [stored: string, shown: string])[] = [
  ...unchanged.map((type) => [type, type] as const),
  ...Object.entries(renamed),
]
const shownOf = new Map(rows)
const storedOf = new Map(rows.map(([stored, shown]) => [shown, stored]))
// At load: a name that two rows share could not be mapped back.
invariant(shownOf.size === rows.length && storedOf.size === rows.length, 'the code map of event types is a bijection')

/** Every event type of version 2. */
export const eventTypes: readonly string[] = [...storedOf.keys()].sort()

/** The name of a stored type in version 2. A type without a row cannot be shown. */
export function toShownType(stored: string): string {
  const shown = shownOf.get(stored)
  if (shown !== undefined) return shown
  throw v2Error(
    'event_type_unmapped',
    'The log has an event type that version 2 has no name for: read it with version 1.',
  )
}

/** The stored name of a type of version 2; undefined when version 2 has no such type. */
export function toStoredType(shown: string): string | undefined {
  return storedOf.get(shown)
}
