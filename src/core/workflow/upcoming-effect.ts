import type { WorkflowDefinition } from './definition.ts'
import { type NodeStatus, nextAction } from './next-action.ts'
import type { RunValues } from './value-path.ts'

/**
 * What a replay does with a node. It executes it again (`computes`), lets it fail again (`fails`), or takes its reads, its resolution or its
 * effect from the record (`reads`, `asks`, `effects`). A read, a resolution or an effect that is not recorded is never made.
 */
export type ReplayRole = 'computes' | 'fails' | 'reads' | 'asks' | 'effects'

/**
 * The first node with an effect that the workflow reaches from here without input: after nodes that only compute or sleep. Null when it
 * reaches something else first, such as an interrupt without a resolution.
 */
export function upcomingEffect(
  definition: WorkflowDefinition,
  statuses: Readonly<Record<string, NodeStatus>>,
  values: RunValues,
  roleOf: (typeId: string) => ReplayRole,
): string | null {
  const assumed = { ...statuses }
  const roles = new Map(definition.nodes.map(({ id, typeId }) => [id, roleOf(typeId)]))
  for (const [nodeId, status] of Object.entries(assumed)) {
    const isActive = status === 'running' || status === 'waiting'
    if (isActive && roles.get(nodeId) === 'computes') assumed[nodeId] = 'completed'
  }
  for (;;) {
    const action = nextAction(definition, assumed, values)
    if (action.kind === 'skip') assumed[action.nodeId] = 'skipped'
    else if (action.kind !== 'start') return null
    else if (roles.get(action.nodeId) === 'effects') return action.nodeId
    else if (roles.get(action.nodeId) !== 'computes') return null
    else assumed[action.nodeId] = 'completed'
  }
}
