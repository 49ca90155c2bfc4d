import type { KnownTool } from '../core/agents/tools.ts'
import type { AgentStep } from './agent-step.ts'
import { callTool, type ToolResult } from './agent-tools.ts'

const invalidArguments = { code: 'validation_error', message: 'The arguments of the call are not valid.' }

/**
 * Calls a tool and records it: `agent.toolCalled`, then `agent.toolReturned` with the call as its cause. The log has ids and counts.
 * Arguments and results may quote memory, so they are not in it.
 */
export async function recordedCall(
  { request, agent, world }: AgentStep,
  tool: KnownTool,
  args: unknown,
): Promise<ToolResult['shown'] & { readonly text: string }> {
  const { events, node } = request
  const facts = { agentId: agent.agentId, toolName: tool.id, callId: `call.${node.id}.${events.count}` }
  const cause = events.emit('agent.toolCalled', { facts })
  const result = await callTool(world, tool, args)
  if ('problem' in result) {
    const { code, message } = result.refusal ?? invalidArguments
    const error = { code, message }
    events.emit('agent.toolReturned', { facts, text: { error }, cause })
    return { text: result.problem, count: 0 }
  }
  events.emit('agent.toolReturned', { facts, text: { outcome: result.shown }, cause })
  return { text: result.text, ...result.shown }
}
