import { failNode } from '../../core/run/lifecycle.ts'
import type { RunEvent } from '../../core/run/run.ts'
import { effectAhead } from '../../core/workflow/effect-ahead.ts'
import { nextStep } from '../../core/workflow/plan.ts'
import { createYielding } from '../yielding.ts'
import { toRunError } from './execute-node.ts'
import type { RunExecution } from './leg.ts'
import { isSessionSummary, type RecordedRun, ReplaySourceMissing } from './recorded.ts'
import { replayRecordedEvent } from './retell.ts'

/**
 * Goes along the record of the run that is replayed, event by event: the order in which things happened is a recorded
 * fact like any other. At every event it is made sure that the workflow leads there and that the record explains it.
 */
export async function replayRun(execution: RunExecution, source: RecordedRun, signal: AbortSignal): Promise<void> {
  const cancelAt = cancelIndex(source)
  const events = source.events.slice(0, cancelAt)
  const yieldWhenLong = createYielding()
  while (!execution.isEnded) {
    await yieldWhenLong()
    const event = events[execution.progress.nextSequence]
    if (event === undefined) break
    await replayEvent(execution, source, event)
    // The memory of the session is told with the end, never without it.
    if (!isSessionSummary(event)) await execution.commitIfDue(signal)
  }
  if (execution.isEnded || cancelAt === source.events.length) return
  refuseEffectAhead(execution, source)
  for (const event of source.events.slice(cancelAt)) await replayRecordedEvent(execution, source, event)
  await execution.commitIfDue(signal)
}

/** Where the record of a run says that it was cancelled, with the memory of its session before it; its length if it was not. */
function cancelIndex({ run, events }: RecordedRun): number {
  if (run.status !== 'cancelled') return events.length
  const last = events.at(-2)
  return events.length - (last && isSessionSummary(last) ? 2 : 1)
}

/**
 * A cancel came from outside: without it the workflow would have gone on. An effect that it leads to by itself is told to
 * have failed, because the source never had it and a replay has none of its own; then the replay ends as its source did.
 */
function refuseEffectAhead({ tenant, definition, progress }: RunExecution, { events }: RecordedRun): void {
  const roleOf = (typeId: string) => tenant.host.nodes.get(typeId)?.replay ?? 'effects'
  const nodeId = effectAhead(definition, progress.nodeStatuses, progress.scope, roleOf)
  // The replay of a replay finds it on record.
  if (nodeId === null || events.some((event) => event.nodeId === nodeId)) return
  failNode(progress, nodeId, toRunError(new ReplaySourceMissing()), tenant.now())
}

async function replayEvent(execution: RunExecution, source: RecordedRun, event: RunEvent): Promise<void> {
  try {
    assertIsNext(execution, source, event)
    await replayRecordedEvent(execution, source, event)
  } catch (thrown) {
    const error = toRunError(thrown)
    const failedNode = event.type === 'node.completed' && event.nodeId !== null ? { failedNodeId: event.nodeId } : {}
    if (failedNode.failedNodeId) failNode(execution.progress, failedNode.failedNodeId, error, execution.tenant.now())
    await execution.end({ status: 'failed', error, ...failedNode })
  }
}

/** What the engine would decide here must be what it decided then; everything else was decided outside. */
function assertIsNext({ definition, progress }: RunExecution, { run }: RecordedRun, event: RunEvent): void {
  const isEnd = event.type === 'run.completed' || (isSessionSummary(event) && run.status === 'completed')
  if (!isEnd && event.type !== 'node.started' && event.type !== 'node.skipped') return
  const step = nextStep(definition, progress.nodeStatuses, progress.scope)
  const expected = isEnd ? 'done' : event.type === 'node.started' ? 'start' : 'skip'
  const isSameNode = !('nodeId' in step) || step.nodeId === event.nodeId
  const isSameReason = !('reason' in step) || step.reason === event.payload.reason
  if (step.kind !== expected || !isSameNode || !isSameReason) throw new ReplaySourceMissing()
}
