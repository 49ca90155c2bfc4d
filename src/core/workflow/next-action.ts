import { invariant } from '../invariant.ts'
import { evaluateCondition } from './condition.ts'
import type { TriggerRule, WorkflowDefinition, WorkflowEdge, WorkflowNode } from './definition.ts'
import { forwardOrder } from './graph.ts'
import { forwardEdges } from './loop.ts'
import { newPatternBudget, type PatternBudget } from './pattern.ts'
import {
  applyTriggerRule,
  combineDecisions,
  type NodeOutcome,
  type SkipReason,
  type TriggerDecision,
} from './trigger-rule.ts'
import type { RunValues } from './value-path.ts'

/** The statuses of a node that was started or skipped. A node without a status is still to be decided. */
export const nodeStatuses = ['running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled'] as const

export type NodeStatus = (typeof nodeStatuses)[number]

/** The next action of a run: start or skip a node, wait for active nodes, or end. */
export type NextAction =
  | { readonly kind: 'start'; readonly nodeId: string }
  | { readonly kind: 'skip'; readonly nodeId: string; readonly reason: SkipReason }
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' }

type Statuses = Readonly<Record<string, NodeStatus | undefined>>

/**
 * Decides the next action: the first node in the order of the definition that can be started or must be skipped. A node without incoming
 * edges starts at once; trigger-rule.ts says when others do. A disabled node is skipped; for the nodes after it, it counts as a success
 * if it would have started, and as skipped if not.
 */
export function nextAction(definition: WorkflowDefinition, statuses: Statuses, values: RunValues): NextAction {
  const graph = graphOf(definition)
  const input = { values, budget: newPatternBudget() }
  const outcomes = outcomesOf(graph, statuses, input)
  let isWaiting = false
  let isLeft = false
  for (const { id, disabled } of definition.nodes) {
    const status = statuses[id]
    if (status === 'running' || status === 'waiting') isWaiting = true
    if (status !== undefined) continue
    const decision = decide(id, graph, outcomes, input)
    if (decision === 'undecided') isLeft = true
    else if (disabled === true) return { kind: 'skip', nodeId: id, reason: 'disabled' }
    else if (decision === 'start') return { kind: 'start', nodeId: id }
    else return { kind: 'skip', nodeId: id, reason: decision }
  }
  invariant(isWaiting || !isLeft, 'in a graph without cycles some node can always be decided when none is active')
  return { kind: isWaiting ? 'wait' : 'done' }
}

/**
 * Whether a direct successor of the node handles its failure (triggerRule all_complete or any_failed): then the run continues. A node further
 * down that only cleans up does not handle it.
 */
export function isFailureHandled(definition: WorkflowDefinition, nodeId: string): boolean {
  const { nodes } = graphOf(definition)
  return definition.edges.some(
    ({ sourceNodeId, targetNodeId, triggerRule }) =>
      sourceNodeId === nodeId &&
      (triggerRule === 'all_complete' || triggerRule === 'any_failed') &&
      nodes.get(targetNodeId)?.disabled !== true,
  )
}

type Graph = {
  readonly nodes: ReadonlyMap<string, WorkflowNode>
  readonly order: readonly string[]
  readonly incoming: ReadonlyMap<string, ReadonlyMap<TriggerRule, readonly WorkflowEdge[]>>
}

/** Derived from the definition alone, so it is cached with it: it is needed after each node of a run. */
const graphs = new WeakMap<WorkflowDefinition, Graph>()

function graphOf(definition: WorkflowDefinition): Graph {
  const known = graphs.get(definition)
  if (known !== undefined) return known
  const byTarget = Map.groupBy(forwardEdges(definition), (edge) => edge.targetNodeId)
  const graph = {
    nodes: new Map(definition.nodes.map((node) => [node.id, node])),
    order: forwardOrder(definition),
    incoming: new Map(
      [...byTarget].map(([id, edges]) => [id, Map.groupBy(edges, (edge) => edge.triggerRule ?? 'all_success')]),
    ),
  }
  graphs.set(definition, graph)
  return graph
}

type Outcomes = ReadonlyMap<string, NodeOutcome>

/** The values that conditions read, and the budget of their patterns. */
type ConditionInput = { readonly values: RunValues; readonly budget: PatternBudget }

/** The outcomes of nodes that have ended. In topological order, so that a chain of disabled nodes needs no recursion. */
function outcomesOf(graph: Graph, statuses: Statuses, input: ConditionInput): Outcomes {
  const outcomes = new Map<string, NodeOutcome>()
  for (const id of graph.order) {
    const status = statuses[id]
    if (status === 'completed') outcomes.set(id, 'success')
    else if (status === 'failed' || status === 'cancelled') outcomes.set(id, 'failed')
    else if (status === 'skipped') {
      const wouldHaveRun = graph.nodes.get(id)?.disabled === true && isRunnable(decide(id, graph, outcomes, input))
      outcomes.set(id, wouldHaveRun ? 'success' : 'skipped')
    }
  }
  return outcomes
}

/** A skipped node was decided before. If it is undecided now, a variable has changed since; it would have started. */
function isRunnable(decision: TriggerDecision): boolean {
  return decision === 'start' || decision === 'undecided'
}

function decide(nodeId: string, graph: Graph, outcomes: Outcomes, { values, budget }: ConditionInput): TriggerDecision {
  const decisions = [...(graph.incoming.get(nodeId) ?? [])].map(([rule, edges]) =>
    applyTriggerRule(
      rule,
      edges.map(({ sourceNodeId, condition }) => ({
        outcome: outcomes.get(sourceNodeId),
        isOpen: () => condition === undefined || evaluateCondition(condition, values, sourceNodeId, budget),
      })),
    ),
  )
  return combineDecisions(decisions)
}
