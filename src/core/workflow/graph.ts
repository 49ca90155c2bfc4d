import { invalid } from '../errors.ts'
import { checkCondition, type EdgeCondition } from './condition.ts'
import type { WorkflowDefinition, WorkflowEdge } from './definition.ts'
import { memberField } from './json-values.ts'
import { checkLoop, forwardEdges } from './loop.ts'
import { workflowLimits } from './workflow-limits.ts'

/**
 * Checks that the nodes and edges are a graph without cycles, but for the loop of a supervisor, and that nodes and conditions refer only
 * to upstream nodes.
 */
export function checkGraph(definition: WorkflowDefinition): void {
  const nodeIds = new Set(definition.nodes.map((node) => node.id))
  for (const [index, edge] of definition.edges.entries()) checkEnds(`edges[${index}]`, edge, nodeIds)
  checkLoop(definition)
  if (forwardOrder(definition).length < definition.nodes.length)
    throw invalid('edges', 'must not form a cycle, but for a supervisor and its core.dispatch node')
  const upstreamOf = upstreamFinder(forwardEdges(definition))
  checkConditions(definition.edges, upstreamOf)
  for (const [index, node] of definition.nodes.entries()) {
    for (const [name, port] of Object.entries(node.inputs)) {
      if (port.type !== 'connection' || upstreamOf(node.id).has(port.nodeId)) continue
      const field = memberField(`nodes[${index}].inputs`, name)
      throw invalid(`${field}.nodeId`, 'must name a node from which edges lead here')
    }
  }
}

function checkEnds(field: string, edge: WorkflowEdge, nodeIds: ReadonlySet<string>): void {
  if (!nodeIds.has(edge.sourceNodeId)) throw invalid(`${field}.sourceNodeId`, 'must name a node of the workflow')
  if (!nodeIds.has(edge.targetNodeId)) throw invalid(`${field}.targetNodeId`, 'must name a node of the workflow')
  if (edge.sourceNodeId === edge.targetNodeId) throw invalid(field, 'must not lead from a node to itself')
}

/**
 * The node ids in topological order: every edge but the one back to a supervisor leads forward. Nodes on another cycle, and those after
 * it, are missing from the result.
 */
export function forwardOrder(definition: WorkflowDefinition): readonly string[] {
  const { nodes } = definition
  const edges = forwardEdges(definition)
  const outgoing = Map.groupBy(edges, (edge) => edge.sourceNodeId)
  const incoming = new Map(nodes.map((node) => [node.id, 0]))
  for (const edge of edges) incoming.set(edge.targetNodeId, (incoming.get(edge.targetNodeId) ?? 0) + 1)
  const ready = nodes.map((node) => node.id).filter((id) => incoming.get(id) === 0)
  // The list grows during the loop.
  for (const id of ready) {
    for (const { targetNodeId } of outgoing.get(id) ?? []) {
      const left = (incoming.get(targetNodeId) ?? 0) - 1
      incoming.set(targetNodeId, left)
      if (left === 0) ready.push(targetNodeId)
    }
  }
  return ready
}

type UpstreamOf = (nodeId: string) => ReadonlySet<string>

/** A function that returns all upstream nodes of a node. It caches its results. */
function upstreamFinder(edges: readonly WorkflowEdge[]): UpstreamOf {
  const incoming = Map.groupBy(edges, (edge) => edge.targetNodeId)
  const found = new Map<string, ReadonlySet<string>>()
  return (nodeId) => {
    const known = found.get(nodeId)
    if (known !== undefined) return known
    const upstream = new Set<string>()
    const queue = [nodeId]
    for (const id of queue) {
      for (const { sourceNodeId } of incoming.get(id) ?? []) {
        if (upstream.has(sourceNodeId)) continue
        upstream.add(sourceNodeId)
        queue.push(sourceNodeId)
      }
    }
    found.set(nodeId, upstream)
    return upstream
  }
}

function checkConditions(edges: readonly WorkflowEdge[], upstreamOf: UpstreamOf): void {
  const max = workflowLimits.regexConditionsMax
  let patterns = 0
  for (const [index, { condition, sourceNodeId }] of edges.entries()) {
    if (condition === undefined) continue
    const field = `edges[${index}].condition`
    if (condition.type === 'regex') patterns += 1
    if (patterns > max)
      throw invalid('edges', `must have at most ${max} regex conditions`, { limit: 'regexConditionsMax', max })
    checkCondition(field, condition)
    const named = nodeNamedBy(condition)
    if (named !== undefined && named !== sourceNodeId && !upstreamOf(sourceNodeId).has(named)) {
      throw invalid(`${field}.left`, 'must name the outputs of a node that ends before this edge is evaluated')
    }
  }
}

function nodeNamedBy({ left }: EdgeCondition): string | undefined {
  return left.startsWith('outputs.') ? left.split('.')[1] : undefined
}
