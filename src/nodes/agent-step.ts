import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { reasoningShown } from '../core/agents/confidence.ts'
import type { RunAgent } from '../core/agents/run-agent.ts'
import type { KnownTool } from '../core/agents/tools.ts'
import type { ToolWorld } from './agent-tools.ts'

/** Everything that an agent acts on. */
export type AgentStep = {
  readonly request: HostNodeRequest
  readonly agent: RunAgent
  readonly task: unknown
  /** The task as a text. */
  readonly question: string
  /** The tools of its allowlist. No other tool can be called. */
  readonly surface: readonly KnownTool[]
  readonly world: ToolWorld
}

/** What an agent decided. */
export type AgentOutcome = {
  readonly result: unknown
  readonly confidence?: number
  /** What the log may show of the decision: kinds, ids and counts. */
  readonly decision: Readonly<Record<string, unknown>>
}

/** A node that failed. */
export type FailedNode = Extract<NodeResult, { kind: 'failed' }>

/** Records how the agent came to its decision, in ids and counts. */
export function emitReasoning({ request, agent }: AgentStep, reasoning: string): void {
  const shown = reasoningShown(reasoning, request.configurable)
  const facts = { agentId: agent.agentId, verbosity: shown.verbosity }
  request.events.emit('agent.reasoned', { facts, text: { reasoning: shown.reasoning } })
}

/** The node fails. The message names fields, never values. */
export function failed(code: string, message: string): FailedNode {
  return { kind: 'failed', error: { code, message } }
}
