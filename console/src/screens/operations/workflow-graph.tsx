import { useMemo } from 'react'
import type { Workflow } from '../../../../src/client/index.ts'
import { type StepEdge, StepGraph, type StepNode } from '../../ui/step-graph.tsx'

/** The nodes of a workflow and the order in which they run. */
export default function WorkflowGraph({ workflow }: { readonly workflow: Workflow }) {
  const { nodes, edges } = useMemo(() => stepsOf(workflow), [workflow])
  const words = nodes.map(({ id, note }) => `${id} ${note}`).join(', ')
  return <StepGraph label={`Nodes: ${words}`} nodes={nodes} edges={edges} />
}

function stepsOf(workflow: Workflow): { nodes: StepNode[]; edges: StepEdge[] } {
  return {
    nodes: workflow.nodes.map((node) => {
      const { name } = node as { readonly name?: unknown }
      return { id: node.id, title: typeof name === 'string' ? name : node.id, note: node.typeId, tone: 'plain' }
    }),
    edges: workflow.edges.map((edge) => {
      const { condition } = edge as { readonly condition?: unknown }
      const label = condition === undefined || condition === null ? {} : { label: 'if' }
      return { from: edge.sourceNodeId, to: edge.targetNodeId, ...label }
    }),
  }
}
