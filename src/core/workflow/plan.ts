import { assert } from '../errors.ts'
import { evaluateCondition } from './condition.ts'
import type { TriggerRule, WorkflowDefinition, WorkflowEdge, WorkflowNode } from './definition.ts'
import { forwardOrder } from './graph.ts'
import type { Scope } from './path.ts'
import { newPatternBudget, type PatternBudget } from './pattern.ts'
import { applyRule, combineVerdicts, type Outcome, type SkipReason, type Verdict } from './trigger-rule.ts'

export const nodeStatuses = ['running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled'] as const

export type NodeStatus = (typeof nodeStatuses)[number]

export type Step =
  | { readonly kind: 'start'; readonly nodeId: string }
  | { readonly kind: 'skip'; readonly nodeId: string; readonly reason: SkipReason }
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' }

type Statuses = Readonly<Record<string, NodeStatus | undefined>>

/**
 * The next thing to do: the first node in the order of the definition that can be started or must be skipped. A node
 * without incoming edges starts at once; trigger-rule.ts tells when others do. A disabled node stands for a step that
 * does nothing: it is skipped, and its followers see a success if it would have started, a skip if it would not.
 */
export function nextStep(definition: WorkflowDefinition, statuses: Statuses, scope: Scope): Step {
  const graph = graphOf(definition)
  const scoped = { scope, budget: newPatternBudget() }
  const outcomes = outcomesOf(graph, statuses, scoped)
  let isWaiting = false
  let isLeft = false
  for (const { id, disabled } of definition.nodes) {
    const status = statuses[id]
    if (status === 'running' || status === 'waiting') isWaiting = true
    if (status !== undefined) continue
    const verdict = decide(id, graph, outcomes, scoped)
    if (verdict === 'undecided') isLeft = true
    else if (disabled === true) return { kind: 'skip', nodeId: id, reason: 'disabled' }
    else if (verdict === 'start') return { kind: 'start', nodeId: id }
    else return { kind: 'skip', nodeId: id, reason: verdict }
  }
  assert(isWaiting || !isLeft, 'in a graph without cycles some node can always be decided when none is under way')
  return { kind: isWaiting ? 'wait' : 'done' }
}

/**
 * Whether some follower wants this failure (triggerRule all_complete, any_failed): then the run goes on. Only nodes that
 * an edge leads to directly count: one that merely cleans up further down does not make the failure a planned one.
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

/** Derived from the definition alone, so it is kept with it: a run asks for its next step after each node. */
const graphs = new WeakMap<WorkflowDefinition, Graph>()

function graphOf(definition: WorkflowDefinition): Graph {
  const known = graphs.get(definition)
  if (known !== undefined) return known
  const byTarget = Map.groupBy(definition.edges, (edge) => edge.targetNodeId)
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

type Outcomes = ReadonlyMap<string, Outcome>

/** What conditions are decided by, and what they may still cost. */
type Scoped = { readonly scope: Scope; readonly budget: PatternBudget }

/** Sources come first in the order, so that a chain of disabled nodes needs no recursion. */
function outcomesOf(graph: Graph, statuses: Statuses, scoped: Scoped): Outcomes {
  const outcomes = new Map<string, Outcome>()
  for (const id of graph.order) {
    const status = statuses[id]
    if (status === 'completed') outcomes.set(id, 'success')
    else if (status === 'failed' || status === 'cancelled') outcomes.set(id, 'failed')
    else if (status === 'skipped') {
      const wouldHaveRun = graph.nodes.get(id)?.disabled === true && isRunnable(decide(id, graph, outcomes, scoped))
      outcomes.set(id, wouldHaveRun ? 'success' : 'skipped')
    }
  }
  return outcomes
}

/** A node that was skipped had been decided: if it looks undecided now, a variable changed since it would have run. */
function isRunnable(verdict: Verdict): boolean {
  return verdict === 'start' || verdict === 'undecided'
}

function decide(nodeId: string, graph: Graph, outcomes: Outcomes, { scope, budget }: Scoped): Verdict {
  const verdicts = [...(graph.incoming.get(nodeId) ?? [])].map(([rule, edges]) =>
    applyRule(
      rule,
      edges.map(({ sourceNodeId, condition }) => ({
        outcome: outcomes.get(sourceNodeId),
        isOpen: () => condition === undefined || evaluateCondition(condition, scope, sourceNodeId, budget),
      })),
    ),
  )
  return combineVerdicts(verdicts)
}
