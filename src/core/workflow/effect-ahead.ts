import type { WorkflowDefinition } from './definition.ts'
import type { Scope } from './path.ts'
import { type NodeStatus, nextStep } from './plan.ts'

/**
 * What a replay does with a node: `computes` it again; lets it fail again (`fails`); takes what it read, the answer it got
 * or the effect it had from the record (`reads`, `asks`, `effects`). What is not on record is never done.
 */
export type ReplayRole = 'computes' | 'fails' | 'reads' | 'asks' | 'effects'

/**
 * The effect that a workflow comes to by itself from here: behind nodes that only compute and wait for time. Null when it
 * comes to something else first, such as a question without an answer.
 */
export function effectAhead(
  definition: WorkflowDefinition,
  statuses: Readonly<Record<string, NodeStatus>>,
  scope: Scope,
  roleOf: (typeId: string) => ReplayRole,
): string | null {
  const assumed = { ...statuses }
  const roles = new Map(definition.nodes.map(({ id, typeId }) => [id, roleOf(typeId)]))
  for (const [nodeId, status] of Object.entries(assumed)) {
    const isUnderWay = status === 'running' || status === 'waiting'
    if (isUnderWay && roles.get(nodeId) === 'computes') assumed[nodeId] = 'completed'
  }
  for (;;) {
    const step = nextStep(definition, assumed, scope)
    if (step.kind === 'skip') assumed[step.nodeId] = 'skipped'
    else if (step.kind !== 'start') return null
    else if (roles.get(step.nodeId) === 'effects') return step.nodeId
    else if (roles.get(step.nodeId) !== 'computes') return null
    else assumed[step.nodeId] = 'completed'
  }
}
