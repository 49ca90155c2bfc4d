import type { WorkflowDefinition } from '../core/workflow/definition.ts'

/** How the workflows of the conformance tests are written. */

type NodeParts = { readonly config?: object; readonly inputs?: object; readonly agent?: object }

export function node(id: string, typeId: string, { config = {}, inputs = {}, agent }: NodeParts = {}) {
  return { id, typeId, name: id, position: { x: 0, y: 0 }, config, inputs, ...(agent ? { agent } : {}) }
}

type Node = ReturnType<typeof node>

/** A workflow of nodes in a sequence. */
export function workflow(id: string, nodes: readonly Node[], more: object = {}): WorkflowDefinition {
  const edges = nodes.slice(1).map((target, index) => ({
    id: `e${index + 1}`,
    sourceNodeId: nodes[index]?.id,
    targetNodeId: target.id,
  }))
  return {
    id,
    name: `Conformance: ${id}`,
    version: '1.1',
    nodes,
    edges,
    triggers: [{ id: 'manual', type: 'manual', enabled: true }],
    variables: [],
    metadata: { tags: ['conformance'] },
    settings: { timeout: 60_000, maxRetries: 0 },
    ...more,
  } as unknown as WorkflowDefinition
}
