import { ColophonError } from '../../core/errors.ts'
import { channelsAfterEnd, replayMessage } from '../../core/run/channel.ts'
import type { ForkBoundary } from '../../core/run/fork-boundary.ts'
import { cancelNodes, recordedBefore, setNodeValues } from '../../core/run/lifecycle.ts'
import { inheritAnswer } from '../../core/run/model-call.ts'
import { beginNextTurn, countDecision, interruptOfTurn, turnOf } from '../../core/run/orchestration.ts'
import { isNodeEmitted, toReplayedEvent } from '../../core/run/replayed-event.ts'
import type { NodeState, Run, RunEvent, RunPause, RunStatus, RunStep } from '../../core/run/run.ts'
import { RunProgress } from '../../core/run/run-progress.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import { isFailureHandled } from '../../core/workflow/next-action.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import { createTimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { writesOfChild } from './children.ts'
import { replayChainEvent } from './dispatch-workers.ts'
import { inheritAgent } from './dispatched-agent.ts'
import { replayFailedNode, replayNode } from './execute-node.ts'
import { resetActiveNodes } from './pause.ts'
import { isSessionSummary, type RecordedRun } from './recorded-run.ts'
import { RunExecution } from './run-execution.ts'
import { loadDefinition } from './workflow-registry.ts'

/**
 * Applies the next recorded event to a run that is rebuilt: the memory calls before it, the state after it, and the event
 * itself, unchanged. The log holds no variables, because they may hold memory. So a node that completed is executed again,
 * and its memory calls are answered from the record. Branches and replays both use this.
 */
export async function replayRecordedEvent(
  execution: RunExecution,
  source: RecordedRun,
  event: RunEvent,
): Promise<void> {
  applyMemoryCalls(execution, source, event)
  if (event.nodeId === null) applyRunEvent(execution, source, event)
  else await applyNodeEvent(execution, source, event, event.nodeId)
  execution.progress.events.push(toReplayedEvent(event))
}

/** Memory calls have ordinals from 0, so the next call is found by the number of calls so far. */
function applyMemoryCalls({ progress }: RunExecution, { calls }: RecordedRun, { sequence }: RunEvent): void {
  for (let call = calls[progress.facts.memoryCalls]; call && call.sequence <= sequence; ) {
    progress.noteCall({ ...call, sequence: call.sequence + (progress.facts.fork?.restarted ?? 0) })
    if (call.op === 'put') progress.set({ facts: { memoryWrites: progress.facts.memoryWrites + 1 } })
    call = calls[progress.facts.memoryCalls]
  }
}

const statusAfter: Readonly<Record<string, RunStatus>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
}

function applyRunEvent(execution: RunExecution, source: RecordedRun, { type, sequence, at, payload }: RunEvent): void {
  const { progress, tenant } = execution
  const status = statusAfter[type]
  if (status !== undefined) {
    cancelNodes(progress, at)
    progress.set({
      status,
      facts: { pause: null },
      text: { ephemeral: {}, error: source.run.text.error, pauseReason: null, ...channelsAfterEnd(progress) },
    })
  } else if (type === 'run.started') progress.set({ status: 'running', facts: { startedAt: tenant.now() } })
  else if (type === 'run.paused') {
    if (payload.drainPolicy === 'immediate')
      resetActiveNodes(progress, (nodeId) => isRestarted(source, nodeId, sequence))
    // A replay repeats the event and continues. A branch that begins here is paused, until a client resumes it.
    if (isReplay(execution)) return
    const pause = { drainPolicy: payload.drainPolicy, by: payload.by, at } as RunPause
    const pauseReason = (payload.reason as string | undefined) ?? null
    progress.set({ status: 'paused', facts: { pause }, text: { pauseReason } })
  } else if (type === 'run.resumed' && !isReplay(execution)) {
    const status = progress.facts.startedAt === null ? 'pending' : 'running'
    progress.set({ status, facts: { pause: null }, text: { pauseReason: null } })
  }
}

/** Whether an immediate pause interrupted the node, so that it started again. A node that waits for its child does not. */
function isRestarted({ run, events }: RecordedRun, nodeId: string, sequence: number): boolean {
  // `cap.breached` of a second start also has the node's id, so only node events count.
  const isNext = (event: RunEvent) => event.nodeId === nodeId && event.type.startsWith('node.')
  const next = events.slice(sequence + 1).find(isNext)
  return next ? next.type === 'node.started' : run.facts.nodes[nodeId] === undefined
}

async function applyNodeEvent(
  execution: RunExecution,
  source: RecordedRun,
  event: RunEvent,
  nodeId: string,
): Promise<void> {
  const { progress } = execution
  const { type, at, payload } = event
  const setNode = (change: Partial<NodeState>) => {
    const state = progress.node(nodeId)
    if (state) progress.setNode(nodeId, { ...state, ...change })
  }
  switch (type) {
    case 'node.started': {
      const attempt = Number(payload.attempt ?? 1)
      // A node that is under way is started again where a fork began.
      const { calls, emitted } = progress.node(nodeId) ?? recordedBefore(progress, nodeId)
      const recorded = { calls, ...(emitted === undefined ? {} : { emitted }) }
      progress.setNode(nodeId, { status: 'running', attempt, ...recorded, startedAt: at })
      progress.set({ facts: { nodeExecutions: progress.facts.nodeExecutions + 1 } })
      inheritAgent(progress, source, execution.definition.nodes.find(({ id }) => id === nodeId)?.agent?.agentId)
      return
    }
    case 'node.suspended':
      applyInterrupt(execution, source, nodeId, isReplay(execution))
      return setNode({ status: 'waiting' })
    case 'interrupt.resolved':
      return applyInterrupt(execution, source, nodeId, true)
    case 'node.completed': {
      const { values, child } = await replayNode(execution, nodeId)
      setNodeValues(progress, nodeId, values)
      if (child?.facts.isTainted) progress.noteTrust(['untrusted'])
      if (payload.sanitised === true) progress.clearTaint()
      progress.set({ facts: { own: [...progress.facts.own, ...writesOfChild(child)] } })
      if (child !== null) progress.noteReaders([child.facts])
      setNode({ status: 'completed', endedAt: at, ...childOf(source, nodeId) })
      return beginNextTurn(progress, execution.definition, nodeId)
    }
    case 'runOrchestrator.decided':
      return countDecision(progress, nodeId, String(payload.agentId), event.sequence)
    case 'channel.written':
      return replayMessage(progress, source.run.text, payload)
    case 'core.workflowChain.event':
      return replayChainEvent(execution, event, nodeId)
    case 'node.failed':
      await replayFailedNode(execution, nodeId)
      return setNode({ status: 'failed', endedAt: at, ...childOf(source, nodeId) })
    case 'node.skipped':
      progress.setNode(nodeId, { status: 'skipped', attempt: 0, calls: 0, startedAt: at, endedAt: at })
      return
    default:
      inheritAnswer(progress, source.run, event.sequence)
      if (isNodeEmitted(type)) setNode({ emitted: [...(progress.node(nodeId)?.emitted ?? []), event.sequence] })
  }
}

/** A replay gets the recorded answer with the interrupt. A branch waits for its own answer, with the full timeout. */
function applyInterrupt(
  { progress, tenant }: RunExecution,
  { run }: RecordedRun,
  nodeId: string,
  hasAnswer: boolean,
): void {
  const recorded = interruptOfTurn(run.text.interrupts, nodeId, turnOf(progress, nodeId))
  if (recorded === undefined) return
  const now = tenant.now()
  const { timeoutMs = 0 } = recorded.request
  const deadline = timeoutMs === 0 ? null : now + timeoutMs
  // Approvals were given to the source run, not to its branch.
  const { approvals: _ofSource, ...interrupt } = recorded
  const open = { ...interrupt, askedAt: now, deadline, resolution: null }
  const interrupts = { ...progress.text.interrupts, [nodeId]: hasAnswer ? recorded : open }
  progress.set({ text: { interrupts } })
}

function childOf({ run }: RecordedRun, nodeId: string): Pick<NodeState, 'childRunId'> {
  const childRunId = run.facts.nodes[nodeId]?.childRunId
  return childRunId === undefined ? {} : { childRunId }
}

function isReplay({ progress }: RunExecution): boolean {
  return progress.facts.fork?.mode === 'replay'
}

/**
 * The first step of a fork: the state of its source before the event `fromSeq`, with the events and memory calls up to
 * there, rebuilt by replaying them.
 */
export async function rebuildRunStep(
  tenant: Tenant,
  source: RecordedRun,
  { fromSeq, boundary }: { readonly fromSeq: number; readonly boundary: ForkBoundary },
  step: RunStep,
): Promise<RunStep> {
  const { run } = source
  const definition = await loadDefinition(tenant, run.workflowId, run.workflowVersion)
  const empty: Run = { ...run, ...step.run, revision: 0, nextSequence: 0, endedAt: null }
  const lease = { jobId: '', leaseToken: '', spent: false }
  const { signal } = new AbortController()
  const execution = new RunExecution({ tenant, definition, lease, source, signal, progress: new RunProgress(empty) })
  execution.progress.set({ text: { variables: initialVariables(definition, run.text.inputs) } })
  const end = endOfStep(source.events, definition, fromSeq, boundary)
  const yieldWhenLong = createTimeSlice()
  for (const event of source.events.slice(0, end)) {
    await yieldWhenLong()
    await replayRecordedEvent(execution, source, event)
  }
  if (boundary === 'event' && end < source.events.length) restartNodes(execution, source, end)
  const { facts, text, status, events, calls } = execution.progress
  return { ...step, run: { ...step.run, status, facts, text }, events, calls }
}

/** Some events belong to one step. A position between them means the position after the last of them. */
function endOfStep(
  events: readonly RunEvent[],
  definition: WorkflowDefinition,
  fromSeq: number,
  boundary: ForkBoundary,
): number {
  for (let end = fromSeq; ; end++) {
    const [last, next] = [events[end - 1], events[end]]
    if (!last || !next || !isSameStep(definition, last, next)) return end
    // A node that was about to ask is started again, and asks again.
    if (boundary === 'event' && interruptEvents.includes(next.type)) return end
    if (boundary === 'event' && answerEvents.includes(last.type) && answerEvents.includes(next.type))
      throw insideAnswer()
  }
}

/** Half of an answer cannot be inherited: the node would have it and still wait for it. */
function insideAnswer(): ColophonError {
  const wayOut = 'Fork at interrupt.resolved, or after node.resumed.'
  return new ColophonError('invalid_from_seq', `The events of one answer cannot be separated. ${wayOut}`, {
    details: { field: 'fromSeq' },
  })
}

/**
 * Starts the nodes again that were under way at the first event that is not inherited, if they do not wait for an answer. A branch does so
 * when it continues; the log of a replay has the start before the recorded events.
 */
function restartNodes(execution: RunExecution, source: RecordedRun, end: number): void {
  if (isReplay(execution)) recordRestarts(execution, source.events[end])
  else resetForBranch(execution, source.events.slice(end - 1, end + 1))
}

function recordRestarts({ progress, definition }: RunExecution, next: RunEvent | undefined): void {
  const isNext = (nodeId: string) => next?.nodeId === nodeId && /^node\.(completed|failed)$/.test(next.type)
  const active = Object.entries(progress.facts.nodes).filter(
    ([nodeId, { status }]) => status === 'running' || (status === 'waiting' && isNext(nodeId)),
  )
  const { fork, nodeExecutions } = progress.facts
  if (fork === null || next === undefined || active.length === 0) return
  for (const [nodeId, state] of active) {
    const attempt = state.attempt + 1
    const typeId = definition.nodes.find(({ id }) => id === nodeId)?.typeId ?? ''
    progress.setNode(nodeId, { ...state, attempt })
    progress.emit('node.started', { nodeId, facts: { nodeId, typeId, attempt }, at: next.at })
  }
  const restarted = active.length
  progress.set({ facts: { fork: { ...fork, restarted }, nodeExecutions: nodeExecutions + restarted } })
}

function resetForBranch({ progress }: RunExecution, around: readonly RunEvent[]): void {
  const isAsking = around.length === 2 && around.every(({ type }) => interruptEvents.includes(type))
  const asking = isAsking ? around[1]?.nodeId : null
  const kept = Object.entries(progress.text.interrupts).filter(([nodeId]) => nodeId !== asking)
  // Only nodes that wait for an answer keep waiting.
  const open = Object.fromEntries(kept.filter(([, { resolution }]) => resolution === null))
  progress.set({ text: { interrupts: open } })
  resetActiveNodes(progress, () => true)
  progress.set({ text: { interrupts: Object.fromEntries(kept) } })
}

/** Events of one step, in their order. */
const interruptEvents = ['node.suspended', 'interrupt.requested', 'approval.requested', 'conversation.opened']
const answerEvents = [
  'interrupt.resolved',
  'approval.received',
  'conversation.closed',
  'channel.written',
  'node.resumed',
]
const groups = [
  interruptEvents,
  ['conversation.opened', 'channel.written'],
  ['conversation.exchanged', 'channel.written'],
  answerEvents,
  ['conversation.closed', 'channel.written', 'node.completed'],
]

/** After these phases the chain goes on at once: a child starts, or its outputs are taken over. */
const openPhases: readonly unknown[] = ['dispatch.began', 'dispatch.succeeded', 'child.completed']

function isSameStep(definition: WorkflowDefinition, last: RunEvent, next: RunEvent): boolean {
  if (last.type === 'runOrchestrator.decided' || last.type === 'core.workflowChain.confidence-escalated') return true
  if (openPhases.includes(last.payload.phase) && isOfDispatch(next)) return true
  // After these events the run ends.
  const isFatal = last.type === 'node.failed' && !isFailureHandled(definition, last.nodeId ?? '')
  if (isSessionSummary(last) || isFatal || last.type === 'cap.breached') return true
  const isIn = (group: readonly string[]) =>
    group.includes(last.type) && group.indexOf(next.type) > group.indexOf(last.type)
  return last.nodeId === next.nodeId && groups.some(isIn)
}

function isOfDispatch({ type }: RunEvent): boolean {
  return type === 'node.dispatched' || type === 'core.workflowChain.event'
}
