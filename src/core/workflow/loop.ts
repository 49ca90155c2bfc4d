import { invalid } from '../errors.ts'
import type { WorkflowDefinition, WorkflowEdge } from './definition.ts'

export const supervisorTypeId = 'core.orchestrator.supervisor'
export const dispatchTypeId = 'core.dispatch'

/** A supervisor and the dispatch node that acts on its decisions. The edge back to the supervisor is the only cycle of a workflow. */
export type Loop = { readonly supervisorId: string; readonly dispatchId: string }

type Graph = Pick<WorkflowDefinition, 'nodes' | 'edges'>

/** The loop of a workflow; null when it has none. */
export function loopOf({ nodes, edges }: Graph): Loop | null {
  const supervisor = nodes.find(({ typeId }) => typeId === supervisorTypeId)
  if (supervisor === undefined) return null
  const isDispatch = (nodeId: string) => nodes.some(({ id, typeId }) => id === nodeId && typeId === dispatchTypeId)
  const isEdge = (from: string, to: string) =>
    edges.some(({ sourceNodeId, targetNodeId }) => sourceNodeId === from && targetNodeId === to)
  const found = edges.find(
    ({ sourceNodeId, targetNodeId }) =>
      sourceNodeId === supervisor.id && isDispatch(targetNodeId) && isEdge(targetNodeId, supervisor.id),
  )
  return found === undefined ? null : { supervisorId: supervisor.id, dispatchId: found.targetNodeId }
}

/** The edges without the one that leads back: they form a graph without cycles. */
export function forwardEdges(definition: Graph): readonly WorkflowEdge[] {
  const loop = loopOf(definition)
  return loop === null ? definition.edges : definition.edges.filter((edge) => !isLoopEdge(edge, loop))
}

function isLoopEdge({ sourceNodeId, targetNodeId }: WorkflowEdge, { supervisorId, dispatchId }: Loop): boolean {
  return sourceNodeId === dispatchId && targetNodeId === supervisorId
}

/** Checks the rules of supervisors: one in a workflow, and a loop that only its decisions end. */
export function checkLoop(definition: Graph): void {
  const supervisors = definition.nodes.filter(({ typeId }) => typeId === supervisorTypeId)
  if (supervisors.length > 1) throw invalid('nodes', 'must have at most one supervisor: a run has one orchestrator')
  const loop = loopOf(definition)
  if (loop === null) return
  for (const [index, edge] of definition.edges.entries()) {
    const { sourceNodeId, targetNodeId, condition, triggerRule } = edge
    if (isLoopEdge(edge, loop) && (condition !== undefined || triggerRule !== undefined))
      throw invalid(`edges[${index}]`, 'must have no condition and no triggerRule: the supervisor ends its loop')
    if (sourceNodeId === loop.supervisorId && (targetNodeId !== loop.dispatchId || condition !== undefined))
      throw invalid(
        `edges[${index}]`,
        'must lead to the dispatch node, without a condition: other nodes follow that one',
      )
  }
}
