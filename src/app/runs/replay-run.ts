import { failNode } from '../../core/run/lifecycle.ts'
import type { RunEvent } from '../../core/run/run.ts'
import { nextAction } from '../../core/workflow/next-action.ts'
import { upcomingEffect } from '../../core/workflow/upcoming-effect.ts'
import { createTimeSlice } from '../event-loop.ts'
import { isAbort, toRunError } from './node-failure.ts'
import { isSessionSummary, type RecordedRun, ReplaySourceMissing } from './recorded-run.ts'
import { replayRecordedEvent } from './replay-events.ts'
import type { RunExecution } from './run-execution.ts'

/**
 * Replays a recorded run event by event, in the recorded order. Before each event it checks that the workflow leads to it,
 * so a replay that completes proves that the record explains the run.
 */
export async function replayRun(execution: RunExecution, source: RecordedRun): Promise<void> {
  const cancelAt = cancelIndex(source)
  const events = source.events.slice(0, cancelAt)
  const restarted = execution.progress.facts.fork?.restarted ?? 0
  const yieldWhenLong = createTimeSlice()
  while (!execution.isEnded) {
    await yieldWhenLong()
    const event = events[execution.progress.nextSequence - restarted]
    if (event === undefined) break
    await replayEvent(execution, source, event)
    // The session summary and the last event belong to one commit.
    if (!isSessionSummary(event)) await execution.commitIfDue()
  }
  if (execution.isEnded || cancelAt === source.events.length) return
  refuseEffectAhead(execution, source)
  for (const event of source.events.slice(cancelAt)) await replayRecordedEvent(execution, source, event)
  await execution.commitIfDue()
}

/** The index of the events that a cancel added: the session summary, if there is one, and `run.cancelled`. The log's length if the run was not cancelled. */
function cancelIndex({ run, events }: RecordedRun): number {
  if (run.status !== 'cancelled') return events.length
  const last = events.at(-2)
  return events.length - (last && isSessionSummary(last) ? 2 : 1)
}

/**
 * A cancel is decided by a client: without it the workflow would have continued. If the next thing it would have done is an
 * effect, that node fails in the replay, because the source never had the effect and a replay has none. Then the replay is
 * cancelled like its source.
 */
function refuseEffectAhead({ tenant, definition, progress }: RunExecution, { events }: RecordedRun): void {
  const roleOf = (typeId: string) => tenant.host.nodes.get(typeId)?.replay ?? 'effects'
  const nodeId = upcomingEffect(definition, progress.nodeStatuses, progress.values, roleOf)
  // In the replay of a replay this failure is on record.
  if (nodeId === null || events.some((event) => event.nodeId === nodeId)) return
  failNode(progress, nodeId, toRunError(new ReplaySourceMissing()), tenant.now())
}

async function replayEvent(execution: RunExecution, source: RecordedRun, event: RunEvent): Promise<void> {
  try {
    assertIsNext(execution, source, event)
    await replayRecordedEvent(execution, source, event)
  } catch (thrown) {
    if (isAbort(execution, thrown)) throw thrown
    const error = toRunError(thrown)
    const failedNode = event.type === 'node.completed' && event.nodeId !== null ? { failedNodeId: event.nodeId } : {}
    if (failedNode.failedNodeId) failNode(execution.progress, failedNode.failedNodeId, error, execution.tenant.now())
    await execution.end({ status: 'failed', error, ...failedNode })
  }
}

/** Throws unless the workflow's next step is the recorded event. Events that clients caused are not checked. */
function assertIsNext({ definition, progress }: RunExecution, { run }: RecordedRun, event: RunEvent): void {
  const isEnd = event.type === 'run.completed' || (isSessionSummary(event) && run.status === 'completed')
  if (!isEnd && event.type !== 'node.started' && event.type !== 'node.skipped') return
  // A fork that began at this event has started the node again.
  const underWay = event.type === 'node.started' ? progress.node(event.nodeId ?? '') : undefined
  if (underWay && Number(event.payload.attempt) === underWay.attempt + 1) return
  const step = nextAction(definition, progress.nodeStatuses, progress.values)
  const expected = isEnd ? 'done' : event.type === 'node.started' ? 'start' : 'skip'
  const isSameNode = !('nodeId' in step) || step.nodeId === event.nodeId
  const isSameReason = !('reason' in step) || step.reason === event.payload.reason
  if (step.kind !== expected || !isSameNode || !isSameReason) throw new ReplaySourceMissing()
}
