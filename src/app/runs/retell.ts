import { keepValues, stopNodes } from '../../core/run/lifecycle.ts'
import { Progress } from '../../core/run/progress.ts'
import { toRepeated } from '../../core/run/repeat-event.ts'
import type { NodeState, Run, RunEvent, RunPause, RunStatus, RunStep } from '../../core/run/run.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import { isFailureHandled } from '../../core/workflow/plan.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import type { Tenant } from '../tenant.ts'
import { createYielding } from '../yielding.ts'
import { writesOfChild } from './children.ts'
import { replayFailedNode, replayNode } from './execute-node.ts'
import { RunExecution } from './leg.ts'
import { resetActiveNodes } from './pause.ts'
import { isSessionSummary, type RecordedRun } from './recorded.ts'
import { loadDefinition } from './workflows.ts'

/**
 * Takes the next event of a record into a run: the memory calls that were made before it, the state that it left behind,
 * and the event itself, word for word. Variables are not in the log (they may hold memory), so a node that completed is
 * executed once more, on its recorded calls. Whoever makes a fork, a branch or a replay, goes along the record with this.
 */
export async function replayRecordedEvent(execution: RunExecution, source: RecordedRun, event: RunEvent): Promise<void> {
  applyMemoryCalls(execution, source, event)
  if (event.nodeId === null) applyRunEvent(execution, source, event)
  else await applyNodeEvent(execution, source, event, event.nodeId)
  execution.progress.events.push(toRepeated(event))
}

/** The calls of a run are counted, so the next one is found by how many there are. */
function applyMemoryCalls({ progress }: RunExecution, { calls }: RecordedRun, { sequence }: RunEvent): void {
  for (let call = calls[progress.facts.memoryCalls]; call && call.sequence <= sequence; ) {
    progress.noteCall(call)
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
    stopNodes(progress, at)
    progress.set({
      status,
      facts: { pause: null },
      text: { ephemeral: {}, error: source.run.text.error, pauseReason: null },
    })
  } else if (type === 'run.started') progress.set({ status: 'running', facts: { startedAt: tenant.now() } })
  else if (type === 'run.paused') {
    if (payload.drainPolicy === 'immediate')
      resetActiveNodes(progress, (nodeId) => isRestarted(source, nodeId, sequence))
    // A replay tells of the pause and goes on; a branch that begins in it waits for somebody to resume it.
    if (isReplay(execution)) return
    const pause = { drainPolicy: payload.drainPolicy, by: payload.by, at } as RunPause
    const pauseReason = (payload.reason as string | undefined) ?? null
    progress.set({ status: 'paused', facts: { pause }, text: { pauseReason } })
  } else if (type === 'run.resumed' && !isReplay(execution)) {
    const status = progress.facts.startedAt === null ? 'pending' : 'running'
    progress.set({ status, facts: { pause: null }, text: { pauseReason: null } })
  }
}

/** A pause cut off what was at work, and only that starts again; a node that waits for its child goes on. */
function isRestarted({ run, events }: RecordedRun, nodeId: string, sequence: number): boolean {
  // A limit that is breached at its second start names the node, too.
  const isNext = (event: RunEvent) => event.nodeId === nodeId && event.type.startsWith('node.')
  const next = events.slice(sequence + 1).find(isNext)
  return next ? next.type === 'node.started' : run.facts.nodes[nodeId] === undefined
}

async function applyNodeEvent(execution: RunExecution, source: RecordedRun, event: RunEvent, nodeId: string): Promise<void> {
  const { progress } = execution
  const { type, at, payload } = event
  const setNode = (change: Partial<NodeState>) => {
    const state = progress.node(nodeId)
    if (state) progress.setNode(nodeId, { ...state, ...change })
  }
  switch (type) {
    case 'node.started': {
      const attempt = Number(payload.attempt ?? 1)
      const calls = progress.facts.tried?.[nodeId]?.calls ?? 0
      progress.setNode(nodeId, { status: 'running', attempt, calls, startedAt: at })
      progress.set({ facts: { nodeExecutions: progress.facts.nodeExecutions + 1 } })
      return
    }
    case 'node.suspended':
      applyInterrupt(execution, source, nodeId, isReplay(execution))
      return setNode({ status: 'waiting' })
    case 'interrupt.resolved':
      return applyInterrupt(execution, source, nodeId, true)
    case 'node.completed': {
      const { values, child } = await replayNode(execution, nodeId)
      keepValues(progress, nodeId, values)
      progress.set({ facts: { own: [...progress.facts.own, ...writesOfChild(child)] } })
      return setNode({ status: 'completed', endedAt: at, ...childOf(source, nodeId) })
    }
    case 'node.failed':
      await replayFailedNode(execution, nodeId)
      return setNode({ status: 'failed', endedAt: at, ...childOf(source, nodeId) })
    case 'node.skipped':
      progress.setNode(nodeId, { status: 'skipped', attempt: 0, calls: 0, startedAt: at, endedAt: at })
  }
}

/** A replay is never asked: it has the answer with the question. A branch is, and has all the time that a question gives. */
function applyInterrupt(
  { progress, tenant }: RunExecution,
  { run }: RecordedRun,
  nodeId: string,
  isAnswered: boolean,
): void {
  const asked = run.text.interrupts[nodeId]
  if (asked === undefined) return
  const now = tenant.now()
  const { timeoutMs = 0 } = asked.request
  const deadline = timeoutMs === 0 ? null : now + timeoutMs
  // Approvals were given to the source, not to what a branch makes of it.
  const { approvals: _ofSource, ...question } = asked
  const open = { ...question, askedAt: now, deadline, resolution: null }
  const interrupts = { ...progress.text.interrupts, [nodeId]: isAnswered ? asked : open }
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
 * The first step of a fork: the state that its source had before one of its events, with the events and the memory calls
 * up to there.
 */
export async function rebuildRunStep(
  tenant: Tenant,
  source: RecordedRun,
  fromSeq: number,
  step: RunStep,
): Promise<RunStep> {
  const { run } = source
  const definition = await loadDefinition(tenant, run.workflowId, run.workflowVersion)
  const blank: Run = { ...run, ...step.run, revision: 0, nextSequence: 0, endedAt: null }
  const lease = { jobId: '', leaseToken: '', spent: false }
  const execution = new RunExecution({ tenant, definition, lease, source, progress: new Progress(blank) })
  execution.progress.set({ text: { variables: initialVariables(definition, run.text.inputs) } })
  const end = endOfStep(source.events, definition, fromSeq)
  const yieldWhenLong = createYielding()
  for (const event of source.events.slice(0, end)) {
    await yieldWhenLong()
    await replayRecordedEvent(execution, source, event)
  }
  const { facts, text, status, events, calls } = execution.progress
  return { ...step, run: { ...step.run, status, facts, text }, events, calls }
}

/** Some events are told together, with one step. A point between them means the point behind the last of them. */
function endOfStep(events: readonly RunEvent[], definition: WorkflowDefinition, fromSeq: number): number {
  for (let end = fromSeq; ; end++) {
    const [last, next] = [events[end - 1], events[end]]
    if (!last || !next || !isSameStep(definition, last, next)) return end
  }
}

const questionEvents = ['node.suspended', 'interrupt.requested', 'approval.requested']
const answerEvents = ['interrupt.resolved', 'approval.received', 'node.resumed']

function isSameStep(definition: WorkflowDefinition, last: RunEvent, next: RunEvent): boolean {
  // What comes behind these is the end of the run.
  const isFatal = last.type === 'node.failed' && !isFailureHandled(definition, last.nodeId ?? '')
  if (isSessionSummary(last) || isFatal || last.type === 'cap.breached') return true
  const isIn = (group: readonly string[]) =>
    group.includes(last.type) && group.indexOf(next.type) > group.indexOf(last.type)
  return last.nodeId === next.nodeId && (isIn(questionEvents) || isIn(answerEvents))
}
