import { invariant } from '../invariant.ts'
import { limits } from '../limits.ts'
import type { Decision } from '../workflow/decision.ts'
import type { WorkflowDefinition, WorkflowNode } from '../workflow/definition.ts'
import { dispatchTypeId, loopOf, supervisorTypeId } from '../workflow/loop.ts'
import type { Interrupt } from './interrupt.ts'
import type { NodeTurns } from './orchestrator.ts'
import type { RunError } from './run.ts'
import type { RunProgress } from './run-progress.ts'

/** The confidence below which a decision is not executed: a person must accept it first. */
export const confidenceFloor = 0.5

/** The confidence below which an agent's decision is not made: a person must ratify it. A run can set another threshold. */
export const escalationThreshold = 0.7

/** A decision, and the decision as its event shows it. */
export type MadeDecision = {
  readonly agentId: string
  readonly decision: Decision
  readonly shown: Decision
}

/** Records a decision: `runOrchestrator.decided`, before anything that it causes. */
export function recordDecision(progress: RunProgress, nodeId: string, made: MadeDecision): void {
  const { agentId, decision, shown } = made
  const decidedAt = progress.emit('runOrchestrator.decided', { nodeId, facts: { agentId }, text: { decision: shown } })
  countDecision(progress, nodeId, agentId, decidedAt)
  progress.set({ text: { decision: { value: decision, shown } } })
}

/** Counts a decision that has been recorded. The agent of a run's supervisor never changes. */
export function countDecision(progress: RunProgress, nodeId: string, agentId: string, decidedAt: number): void {
  const { orchestrator } = progress.facts
  invariant(orchestrator === undefined || orchestrator.agentId === agentId, 'a run has one orchestrator')
  const decisions = (orchestrator?.decisions ?? 0) + 1
  progress.set({ facts: { orchestrator: { agentId, nodeId, decisions, decidedAt } } })
}

/** The turn of a node, from 1. Nodes outside a loop have one turn. */
export function turnOf({ facts }: RunProgress, nodeId: string): number {
  return (completedTurns(facts.turns, nodeId)?.turn ?? 0) + 1
}

/** How many memory calls a node made in earlier turns. */
export function callsBefore({ facts }: RunProgress, nodeId: string): number {
  return completedTurns(facts.turns, nodeId)?.calls ?? 0
}

/** How many answers of a model a node got in earlier turns. */
export function answersBefore({ facts }: Pick<RunProgress, 'facts'>, nodeId: string): number {
  return completedTurns(facts.turns, nodeId)?.answers ?? 0
}

function completedTurns(turns: RunProgress['facts']['turns'] = {}, nodeId: string): NodeTurns | undefined {
  return Object.hasOwn(turns, nodeId) ? turns[nodeId] : undefined
}

/**
 * Begins the next turn of a loop when its dispatch node has completed, unless the supervisor has decided to terminate: both nodes start
 * again. What they asked in the turn is kept under the number of the turn, because a replay answers it from there.
 */
export function beginNextTurn(progress: RunProgress, definition: WorkflowDefinition, nodeId: string): void {
  const loop = loopOf(definition)
  if (loop?.dispatchId !== nodeId || progress.text.decision?.value.kind === 'terminate') return
  for (const id of [loop.supervisorId, loop.dispatchId]) {
    const { [id]: state, ...nodes } = progress.facts.nodes
    const { [id]: _tried, ...tried } = progress.facts.tried ?? {}
    const { [id]: asked, ...interrupts } = progress.text.interrupts
    const turn = turnOf(progress, id)
    const answers = progress.facts.modelCalls?.filter((call) => call.nodeId === id).length ?? 0
    const completed = { turn, calls: state?.calls ?? 0, ...(answers === 0 ? {} : { answers }) }
    const turns = { ...progress.facts.turns, [id]: completed }
    progress.set({ facts: { nodes, tried, turns } })
    if (asked) progress.set({ text: { interrupts: { ...interrupts, [interruptKeyOfTurn(id, turn)]: asked } } })
  }
}

/** Where the interrupt of an earlier turn is kept. No node id has a line break. */
function interruptKeyOfTurn(nodeId: string, turn: number): string {
  return `${nodeId}\n${turn}`
}

/** The interrupt of a node in one of its turns. */
export function interruptOfTurn(
  interrupts: Readonly<Record<string, Interrupt>>,
  nodeId: string,
  turn: number,
): Interrupt | undefined {
  const key = interruptKeyOfTurn(nodeId, turn)
  return interrupts[Object.hasOwn(interrupts, key) ? key : nodeId]
}

/** The largest number of turns of a loop: the smallest of those that the node, the workflow and the host allow. */
function iterationCapOf({ settings }: WorkflowDefinition, { config }: WorkflowNode): number {
  const given = [config.iterationCap, settings.maxLoopbackIterations].filter((cap) => typeof cap === 'number')
  return Math.min(...given, limits.loopIterationsMax)
}

/** The limit that a node would exceed if it started now; null for none. */
export function startBreach(
  progress: RunProgress,
  definition: WorkflowDefinition,
  node: WorkflowNode,
): { readonly facts: Readonly<Record<string, unknown>>; readonly error: RunError } | null {
  const { nodeExecutionsMax } = progress.facts.bounds
  const executed = progress.facts.nodeExecutions
  if (executed >= nodeExecutionsMax) {
    const message = `The run may execute ${nodeExecutionsMax} nodes.`
    const facts = { kind: 'node-executions', limit: nodeExecutionsMax, observed: executed + 1, nodeId: node.id }
    return { facts, error: { code: 'recursion_limit_exceeded', message } }
  }
  const kind = loopCaps[node.typeId]
  if (kind === undefined) return null
  const limit = iterationCapOf(definition, node)
  const observed = turnOf(progress, node.id)
  if (observed <= limit) return null
  const error = { code: 'loop_limit_exceeded', message: `The node may be executed ${limit} times in its loop.` }
  return { facts: { kind, limit, observed, nodeId: node.id }, error }
}

const loopCaps: Readonly<Record<string, string>> = {
  [supervisorTypeId]: 'orchestrator-iterations',
  [dispatchTypeId]: 'dispatch-iterations',
}
