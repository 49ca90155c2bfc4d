import { isColophonError } from '../../core/errors.ts'
import { emitChain, emitChildEnd, emitHarvest, harvestOf, isHarvested } from '../../core/run/dispatch-chain.ts'
import { confidenceFloor } from '../../core/run/orchestration.ts'
import { isEnded, type Run, type RunError, type RunEvent } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { WorkflowNode } from '../../core/workflow/definition.ts'
import { dispatchTypeId } from '../../core/workflow/loop.ts'
import { startChild, writesOfChild } from './children.ts'
import { toRunError, undoIfTooLarge } from './node-failure.ts'
import type { ChildRequest, Escalation } from './node-type.ts'
import { ReplaySourceMissing } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

/** Starts a worker of a decision as a child run, with the first events of its chain. */
export async function startWorker(
  execution: RunExecution,
  { id: nodeId, ...node }: WorkflowNode,
  request: ChildRequest,
): Promise<RunError | null> {
  const { progress } = execution
  const { workflowId: workerId } = request
  const shownId = shownWorkerOf(progress, nodeId) ?? workerId
  emitChain(progress, nodeId, 'dispatch.began', { workerId: shownId })
  const started = await startChild(execution, { ...node, id: nodeId }, request).catch((error: unknown) => {
    // A bug must not be shown as a failed dispatch, and a lost race is decided again.
    if (!isColophonError(error)) throw error
    return toRunError(error)
  })
  if (typeof started !== 'string') {
    emitChain(progress, nodeId, 'dispatch.failed', { workerId: shownId, error: started })
    return started
  }
  emitChain(progress, nodeId, 'dispatch.succeeded', { workerId, childRunId: started })
  const cause = progress.facts.orchestrator?.decidedAt
  progress.emit('node.dispatched', {
    nodeId,
    facts: { childRunId: started, childWorkflowId: workerId },
    ...(cause === undefined ? {} : { cause }),
  })
  const state = progress.node(nodeId)
  if (state) progress.setNode(nodeId, { ...state, status: 'waiting', childRunId: started })
  noteDispatched(progress, nodeId, started)
  // The events name the child, so it must exist even if the parent fails in the same step.
  await execution.commitStep()
  return null
}

/** The next worker as the event of the decision shows it: a value that names no workflow may be a text of memory. */
function shownWorkerOf(progress: RunProgress, nodeId: string): string | undefined {
  const shown = progress.text.decision?.shown
  return shown?.kind === 'next-worker' ? shown.nextWorkerIds[progress.node(nodeId)?.workers?.length ?? 0] : undefined
}

function noteDispatched(progress: RunProgress, nodeId: string, runId: string): void {
  const { dispatched = [] } = progress.facts
  if (dispatched.some((known) => known.runId === runId)) return
  progress.set({ facts: { dispatched: [...dispatched, { nodeId, runId }] } })
}

/**
 * Takes over what the worker that a dispatch node waits for has left, once it has ended, and adds the events of its end. Returns the
 * failure of the node when the values do not fit into the run.
 */
export async function settleWorker({ tenant, progress }: RunExecution, node: WorkflowNode): Promise<RunError | null> {
  const childRunId = progress.node(node.id)?.childRunId
  if (node.typeId !== dispatchTypeId || childRunId === undefined) return null
  const child = await tenant.storage.runs.get(tenant.id, childRunId)
  if (child === null || !isEnded(child.status)) return null
  emitChildEnd(progress, node.id, child)
  noteWorkerEnd(progress, node.id, child)
  if (!isHarvested(node, child)) return null
  const { text, events } = progress
  harvest(progress, node, child)
  const tooLarge = undoIfTooLarge(progress, text, events.length)
  if (!tooLarge) emitHarvest(progress, node, child)
  return tooLarge
}

/** A worker has ended: from now on the parent sees what it wrote, if it has completed. */
function noteWorkerEnd(progress: RunProgress, nodeId: string, child: Run): void {
  const state = progress.node(nodeId)
  if (!state) return
  const { childRunId: _ended, ...rest } = state
  const workers = [...(state.workers ?? []), { runId: child.runId, status: child.status }]
  progress.setNode(nodeId, { ...rest, workers })
  noteDispatched(progress, nodeId, child.runId)
  if (child.status !== 'completed') return
  const own = writesOfChild(child)
  if (own.length > 0) progress.set({ facts: { own: [...progress.facts.own, ...own] } })
  // Its outputs may hold what the child has read.
  if (child.facts.isTainted) progress.noteTrust(['untrusted'])
  progress.noteReaders([child.facts])
}

function harvest(progress: RunProgress, node: WorkflowNode, child: Run): void {
  progress.set({ text: { variables: { ...progress.text.variables, ...harvestOf(node, child) } } })
}

/** Applies a recorded chain event to a run that is rebuilt. No child is started: the record names those of the source. */
export async function replayChainEvent(
  { tenant, progress, definition }: RunExecution,
  { payload, sequence }: RunEvent,
  nodeId: string,
): Promise<void> {
  const state = progress.node(nodeId)
  const node = definition.nodes.find(({ id }) => id === nodeId)
  if (!state || !node) throw new ReplaySourceMissing()
  const isReplay = progress.facts.fork?.mode === 'replay'
  const childRunId = String(payload.childRunId)
  progress.setNode(nodeId, { ...state, chain: sequence })
  if (payload.phase === 'dispatch.succeeded') {
    // A branch has no part in a child that its source still waits for: it starts its own.
    if (isReplay) progress.setNode(nodeId, { ...state, chain: sequence, status: 'waiting', childRunId })
    return
  }
  const isEnd = String(payload.phase).startsWith('child.')
  if (!isEnd && payload.phase !== 'output.harvested') return
  const child = await tenant.storage.runs.get(tenant.id, childRunId)
  if (child === null) throw new ReplaySourceMissing()
  if (isEnd) noteWorkerEnd(progress, nodeId, child)
  else harvest(progress, node, child)
}

/** A decision of low confidence: `core.workflowChain.confidence-escalated`, before a person is asked. */
export function escalate(progress: RunProgress, nodeId: string, escalation: Escalation): void {
  const { confidence, workerId, decision } = escalation
  const cause = progress.facts.orchestrator?.decidedAt
  progress.emit('core.workflowChain.confidence-escalated', {
    nodeId,
    facts: { confidence, floor: confidenceFloor, escalationKind: 'escalate', parentRunId: progress.base.runId },
    text: { ...(workerId === undefined ? {} : { workerId }), originalDecision: decision },
    ...(cause === undefined ? {} : { cause }),
  })
}
