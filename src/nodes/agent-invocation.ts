import type { AgentStep } from './agent-step.ts'

/** The events around everything that an agent with a model does. They have ids and counts only. An agent without a model has none. */

/** `agent.invocation.started`, then `agent.promptResolved`. */
export function beginInvocation({ request, agent, surface, world }: AgentStep): void {
  const { events, node } = request
  const { agentId, modelClass } = agent
  const memoryBound = world.memoryRef !== null
  const started = { source: 'workflow-node', modelClass, toolSurfaceCount: surface.length, memoryBound }
  events.emit('agent.invocation.started', { facts: { invocationId: idOf(request), agentId, ...started } })
  // The prompt is the agent's own. It has no name in a library of prompts, so there is no reference to show.
  const chain = [{ layer: 'agent-intrinsic', applied: true }]
  const text = { chain, resolved: null }
  events.emit('agent.promptResolved', { facts: { nodeId: node.id, kind: 'system', agentId }, text })
}

/** `agent.invocation.completed`: the last event of the invocation. */
export function endInvocation(
  { request, agent }: AgentStep,
  outcome: 'completed' | 'escalated' | 'refused' | 'failed',
  confidence?: number,
): void {
  if (!agent.isLive) return
  const isAnswer = outcome === 'completed' || outcome === 'escalated'
  const schemaValidated = isAnswer && agent.returnSchema !== undefined
  const facts = { invocationId: idOf(request), agentId: agent.agentId, schemaValidated }
  const rated = confidence === undefined ? {} : { confidence }
  request.events.emit('agent.invocation.completed', { facts: { ...facts, ...rated }, text: { outcome } })
}

function idOf({ node, turn }: AgentStep['request']): string {
  return `inv.${node.id}.${turn}`
}
