import { toRepeated } from '../../core/run/event-doc.ts'
import { keepValues } from '../../core/run/lifecycle.ts'
import { Progress } from '../../core/run/progress.ts'
import type { NodeState, Run, RunEvent, RunStatus, RunStep } from '../../core/run/run.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import { isFailureHandled } from '../../core/workflow/plan.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import type { Deps } from '../deps.ts'
import { loadDefinition } from '../workflows.ts'
import { ownOfChild } from './children.ts'
import { recallNode } from './execute-node.ts'
import { Leg } from './leg.ts'
import { callsOf, type RecordedRun } from './recorded.ts'

/**
 * The state that a run had before one of its events, made again: variables are not in the log (they may hold memory), so
 * every node that had completed is executed once more on the record, without telling and without writing anything. The
 * new run begins with that state, the events before the point word for word, and the memory calls before it.
 */
export async function rebuild(
  deps: Deps,
  tenantId: string,
  source: RecordedRun,
  fromSeq: number,
  step: RunStep,
): Promise<RunStep> {
  const { run } = source
  const definition = await loadDefinition(deps, tenantId, run.workflowId, run.workflowVersion)
  const end = endOfGroup(source.events, definition, fromSeq)
  const before = source.events.filter(({ sequence }) => sequence < end)
  const blank: Run = { ...run, ...step.run, revision: 0, nextSequence: 0, endedAt: null }
  const lease = { jobId: '', leaseToken: '', spent: false }
  const leg = new Leg({ deps, tenantId, definition, lease, source, progress: new Progress(blank) })
  leg.progress.set({ text: { variables: initialVariables(definition, run.text.inputs) } })
  for (const event of before) await takeIn(leg, event)
  const { facts, text, status } = leg.progress
  const calls = source.calls.filter(({ sequence }) => sequence < end)
  const memoryWrites = calls.filter(({ op }) => op === 'put').length
  const nodes = Object.entries(facts.nodes).map(([nodeId, state]) => [
    nodeId,
    { ...state, calls: callsOf(calls, nodeId).length },
  ])
  const rebuilt = { ...facts, nodes: Object.fromEntries(nodes), memoryCalls: calls.length, memoryWrites }
  return {
    ...step,
    run: { ...step.run, status, facts: rebuilt, text },
    events: before.map(toRepeated),
    calls,
  }
}

/** Some events are told together, with one step. A point between them means the point behind the last of them. */
function endOfGroup(events: readonly RunEvent[], definition: WorkflowDefinition, fromSeq: number): number {
  for (let end = fromSeq; ; end++) {
    const [last, next] = [events[end - 1], events[end]]
    if (!last || !next || !isToldWith(definition, last, next)) return end
  }
}

const questionEvents = ['node.suspended', 'interrupt.requested', 'approval.requested']
const answerEvents = ['interrupt.resolved', 'approval.received', 'node.resumed']

function isToldWith(definition: WorkflowDefinition, last: RunEvent, next: RunEvent): boolean {
  // What comes behind these is the end of the run.
  const isSession = last.type === 'memory.written' && last.nodeId === null
  const isFatal = last.type === 'node.failed' && !isFailureHandled(definition, last.nodeId ?? '')
  if (isSession || isFatal || last.type === 'cap.breached') return true
  const isIn = (group: readonly string[]) =>
    group.includes(last.type) && group.indexOf(next.type) > group.indexOf(last.type)
  return last.nodeId === next.nodeId && (isIn(questionEvents) || isIn(answerEvents))
}

const endedBy: Readonly<Record<string, RunStatus>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
}

async function takeIn(leg: Leg, event: RunEvent): Promise<void> {
  const { progress, source } = leg
  const { type, nodeId, at } = event
  if (type === 'run.started') progress.set({ status: 'running', facts: { startedAt: leg.deps.system.now() } })
  const ended = endedBy[type]
  // Nothing is left to do after the last event: the new run is what the old one was.
  if (ended) progress.set({ status: ended, text: { error: source?.run.text.error ?? null, ephemeral: {} } })
  if (nodeId === null) return
  const state = progress.node(nodeId)
  const setNode = (change: Partial<NodeState>) => {
    if (state) progress.setNode(nodeId, { ...state, ...change })
  }
  switch (type) {
    case 'node.started': {
      const attempt = Number(event.payload.attempt ?? 1)
      progress.setNode(nodeId, { status: 'running', attempt, calls: 0, startedAt: at })
      progress.set({ facts: { nodeExecutions: progress.facts.nodeExecutions + 1 } })
      return
    }
    case 'node.suspended':
    case 'interrupt.resolved': {
      const interrupt = source?.run.text.interrupts[nodeId]
      const resolution = type === 'interrupt.resolved' ? (interrupt?.resolution ?? null) : null
      if (interrupt)
        progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: { ...interrupt, resolution } } } })
      return setNode({ status: 'waiting' })
    }
    case 'node.completed': {
      const { values, child } = await recallNode(leg, nodeId)
      keepValues(progress, nodeId, values)
      progress.set({ facts: { own: [...progress.facts.own, ...ownOfChild(child)] } })
      return setNode({ status: 'completed', endedAt: at, ...(child ? { childRunId: child.runId } : {}) })
    }
    case 'node.failed':
      return setNode({ status: 'failed', endedAt: at })
    case 'node.skipped':
      progress.setNode(nodeId, { status: 'skipped', attempt: 0, calls: 0, startedAt: at, endedAt: at })
  }
}
