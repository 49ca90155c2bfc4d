import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { isBelow, reasoningShown, thresholdOf } from '../core/agents/confidence.ts'
import { isRatified, toEscalation } from '../core/agents/escalation.ts'
import { invalid } from '../core/errors.ts'
import type { JsonObject } from '../core/workflow/json-values.ts'
import { defineNodeType } from '../nodes/define-node-type.ts'

type MockTool = {
  readonly toolId: string
  readonly arguments?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

type MockConfig = {
  readonly agentId?: string
  readonly mockReasoning?: boolean | { readonly summary: string }
  readonly mockToolCalls?: readonly MockTool[]
  readonly mockHandoff?: { readonly toAgentId: string; readonly reason?: string }
  readonly mockDecision?: { readonly decision: unknown; readonly confidence?: number }
  readonly mockConfidence?: number
}

/** An agent that emits what its config says, for conformance tests. Only servers with test seams have it. */
export const mockAgent = defineNodeType({
  typeId: 'core.conformance.mock-agent',
  description: 'Emits the events that its config names.',
  config: {
    agentId: { description: 'the agent of the events', type: 'text' },
    mockReasoning: { description: 'the reasoning' },
    mockToolCalls: { description: 'calls of tools with their results' },
    mockHandoff: { description: 'the agent that takes over' },
    mockDecision: { description: 'the decision and its confidence' },
    mockConfidence: { description: 'the confidence of a decision without content' },
  },
  replay: 'effects',
  checkConfig({ mockToolCalls = [] }, field) {
    if (!Array.isArray(mockToolCalls)) throw invalid(`${field}.mockToolCalls`, 'must be a list')
    for (const [index, call] of (mockToolCalls as JsonObject[]).entries())
      if (call.result === undefined && call.error === undefined)
        throw invalid(`${field}.mockToolCalls[${index}]`, 'must have a result or an error')
  },
  async execute(request) {
    return actAs(request as HostNodeRequest, request.config as MockConfig)
  },
})

function actAs({ node, events, configurable, resolution }: HostNodeRequest, config: MockConfig): NodeResult {
  const agentId = config.agentId ?? node.agent?.agentId ?? `host:mock-agent:${node.id}`
  const { mockReasoning, mockToolCalls = [], mockHandoff } = config
  if (mockReasoning !== undefined && mockReasoning !== false) {
    const summary = mockReasoning === true ? 'A mock agent reasons.' : mockReasoning.summary
    const { verbosity, reasoning } = reasoningShown(summary, configurable)
    events.emit('agent.reasoned', { facts: { agentId, verbosity }, text: { reasoning } })
  }
  for (const [index, tool] of mockToolCalls.entries()) {
    const facts = { agentId, toolName: tool.toolId, callId: `call.${node.id}.${index}` }
    const cause = events.emit('agent.toolCalled', { facts, text: { inputs: tool.arguments ?? null } })
    const outcome = tool.error === undefined ? { outcome: tool.result } : { error: errorOf(tool.error) }
    events.emit('agent.toolReturned', { facts, text: outcome, cause })
  }
  if (mockHandoff !== undefined) {
    const { toAgentId, reason } = mockHandoff
    const text = reason === undefined ? {} : { reason }
    events.emit('agent.handoff', { facts: { fromAgentId: agentId, toAgentId }, text })
  }
  const made = config.mockDecision ?? (config.mockConfidence === undefined ? null : { decision: { kind: 'mock' } })
  if (made === null) return { kind: 'completed' }
  const confidence = config.mockDecision?.confidence ?? config.mockConfidence
  const rated = confidence === undefined ? {} : { confidence }
  events.emit('agent.decided', { facts: { agentId, ...rated }, text: { decision: made.decision } })
  const threshold = thresholdOf(configurable, undefined)
  if (!isBelow(confidence, threshold)) return { kind: 'completed' }
  if (resolution === null) return toEscalation(node.id, { agentId, confidence, threshold, decision: made.decision })
  if (!isRatified(resolution.value)) {
    const message = 'The decision of the agent was rejected.'
    return { kind: 'failed', error: { code: 'agent_decision_rejected', message } }
  }
  events.emit('agent.decided', { facts: { agentId, confidence: 1 }, text: { decision: made.decision } })
  return { kind: 'completed' }
}

/** The payload has `code` where the envelope of an error has `error`. */
function errorOf(error: unknown): unknown {
  const { error: code = 'tool_failed', message = '' } = error as {
    readonly error?: unknown
    readonly message?: unknown
  }
  return { code, message }
}
