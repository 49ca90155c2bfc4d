// Small workflow documents for the scenarios that bring their own. Nodes run one after the other.
import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../harness.ts'

export type WorkflowNode = { readonly id: string; readonly typeId: string; readonly config: JsonObject }

/** An unused name: scenarios must not see what an earlier execution left. */
export const unique = (name: string): string => `${name}-${randomBytes(5).toString('hex')}`

export const uniqueRef = (name: string): string => `conformance/${unique(name)}`

const node =
  (typeId: string) =>
  (id: string, config: JsonObject = {}): WorkflowNode => ({ id, typeId, config })

export const putNode = node('colophon.memory.put')
export const listNode = node('colophon.memory.list')
export const getNode = node('colophon.memory.get')
export const deleteNode = node('colophon.memory.delete')

export const gateNode = (id: string): WorkflowNode =>
  node('core.approvalGate')(id, {
    title: 'The suite changes memory now',
    description: 'Accepted by the suite once it is done.',
    actions: ['accept', 'reject'],
  })

export type ChildCall = {
  readonly workflowId: string
  readonly inputMapping?: Readonly<Record<string, string>>
  readonly outputMapping?: Readonly<Record<string, string>>
}

export const childNode = (id: string, call: ChildCall): WorkflowNode =>
  node('core.subWorkflow')(id, { ...call, waitForCompletion: true, onChildFailure: 'fail-parent' })

export function workflow(name: string, nodes: readonly WorkflowNode[]): JsonObject & { readonly id: string } {
  return {
    id: unique(name),
    name: `Conformance: ${name}`,
    version: '1.0',
    nodes: nodes.map((entry, index) => ({ ...entry, name: entry.id, position: { x: index * 200, y: 0 }, inputs: {} })),
    edges: nodes.slice(1).map(({ id }, index) => ({
      id: `edge-${index + 1}`,
      sourceNodeId: nodes[index]?.id,
      targetNodeId: id,
    })),
    triggers: [{ id: 'manual', type: 'manual', enabled: true }],
    variables: [],
    metadata: { tags: ['conformance'] },
    settings: { timeout: 60_000 },
  }
}
