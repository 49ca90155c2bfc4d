import type { HostNodeRequest, NodeListOptions, NodeResult } from '../app/runs/node-type.ts'
import { isBelow, thresholdOf } from '../core/agents/confidence.ts'
import { isRatified, toEscalation } from '../core/agents/escalation.ts'
import { schemaProblem } from '../core/agents/handoff.ts'
import type { RunAgent } from '../core/agents/run-agent.ts'
import { toolSurface } from '../core/agents/tools.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { isJsonObject } from '../core/workflow/json-values.ts'
import { actByRules } from './agent-rules.ts'
import { type Act, type AgentOutcome, type AgentStep, failed } from './agent-step.ts'
import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable, selectionMembers, selectionOf } from './memory-config.ts'

export const agentRun = defineNodeType({
  typeId: 'colophon.agent.run',
  description: 'Dispatches the agent of the node: it reads its memory, calls the tools of its allowlist, and decides.',
  config: {
    task: { description: 'the task: a text, or an object as the agent’s task schema has it', isRequired: true },
    memoryRef: { description: 'the ref of its memory; by default that of the agent of the node', type: 'text' },
    limit: selectionMembers.limit,
    tokenBudget: { description: 'the largest number of tokens of memory in its prompt' },
    trustMin: selectionMembers.trustMin,
    into: intoMember,
  },
  replay: 'effects',
  async execute(request) {
    return dispatch(request as HostNodeRequest, actByRules)
  },
})

async function dispatch(request: HostNodeRequest, act: Act): Promise<NodeResult> {
  if (request.node.agent === undefined) throw invalid('agent', 'must name the agent of the node')
  const agent = await request.agent()
  const { task } = request.config
  const problem = schemaProblem(agent.taskSchema, task, 'task')
  if (problem !== null) return failed('handoff_task_schema_violation', problem)
  const outcome = await act(toStep(request, agent, task))
  if ('kind' in outcome) return outcome
  return decide(request, agent, outcome)
}

function toStep(request: HostNodeRequest, agent: RunAgent, task: unknown): AgentStep {
  const memoryRef = memoryRefOf(request, agent)
  const { tokenBudget = limits.agentMemoryTokensDefault, ...selection } = selectionOf(request)
  return {
    request,
    agent,
    task,
    question: questionOf(task),
    surface: toolSurface(agent.toolAllowlist, memoryRef !== null),
    world: { memory: request.memory, memoryRef, selection: withoutTag(selection), tokenBudget },
  }
}

function withoutTag({ tag: _tag, ...selection }: NodeListOptions): NodeListOptions {
  return selection
}

/** The ref that the node names; otherwise the agent's own, if its manifest asks for long-term memory. */
function memoryRefOf({ config, node }: HostNodeRequest, { agentId, hasLongTerm }: RunAgent): string | null {
  const named = config.memoryRef ?? node.agent?.memoryRef
  if (typeof named === 'string' && named !== '') return named
  return hasLongTerm ? `agents/${agentId}` : null
}

function questionOf(task: unknown): string {
  if (typeof task === 'string') return task
  const { question, text } = isJsonObject(task) ? task : {}
  const said = [question, text].find((value) => typeof value === 'string')
  return said === undefined ? JSON.stringify(task ?? null) : String(said)
}

/** Checks the result, records the decision, and asks a person if the agent is not sure enough. */
function decide(request: HostNodeRequest, agent: RunAgent, outcome: AgentOutcome): NodeResult {
  const { events, node, configurable, resolution } = request
  const { agentId } = agent
  const { confidence, decision } = outcome
  const problem = schemaProblem(agent.returnSchema, outcome.result, 'result')
  if (problem !== null) return failed('handoff_return_schema_violation', problem)
  const rated = confidence === undefined ? {} : { confidence }
  const facts = { agentId, ...rated }
  events.emit('agent.decided', { facts, text: { decision } })
  const threshold = thresholdOf(configurable, agent.threshold)
  if (!isBelow(confidence, threshold)) return completed(request, outcome.result, facts)
  if (resolution === null) return toEscalation(node.id, { agentId, confidence, threshold, decision })
  if (!isRatified(resolution.value)) return failed('agent_decision_rejected', 'The decision of the agent was rejected.')
  events.emit('agent.decided', { facts: { agentId }, text: { decision: { ...decision, ratified: true } } })
  return completed(request, outcome.result, facts)
}

function completed(request: HostNodeRequest, result: unknown, facts: { readonly confidence?: number }): NodeResult {
  const { confidence } = facts
  return {
    kind: 'completed',
    outputs: { result, ...(confidence === undefined ? {} : { confidence }) },
    ...intoVariable(request, result),
  }
}
