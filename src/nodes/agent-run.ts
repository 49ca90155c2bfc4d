import type { HostNodeRequest, NodeListOptions, NodeResult } from '../app/runs/node-type.ts'
import { isBelow, thresholdOf } from '../core/agents/confidence.ts'
import { isRatified, toEscalation } from '../core/agents/escalation.ts'
import { schemaProblem } from '../core/agents/handoff.ts'
import type { RunAgent } from '../core/agents/run-agent.ts'
import { toolSurface } from '../core/agents/tools.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { isJsonObject } from '../core/workflow/json-values.ts'
import { beginInvocation, endInvocation } from './agent-invocation.ts'
import { actByModel } from './agent-model.ts'
import { actByRules } from './agent-rules.ts'
import { type AgentOutcome, type AgentStep, type FailedNode, failed } from './agent-step.ts'
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
    return dispatch(request as HostNodeRequest)
  },
})

async function dispatch(request: HostNodeRequest): Promise<NodeResult> {
  if (request.node.agent === undefined) throw invalid('agent', 'must name the agent of the node')
  const agent = await request.agent()
  const { task } = request.config
  const problem = schemaProblem(agent.taskSchema, task, 'task')
  if (problem !== null) return failed('handoff_task_schema_violation', problem)
  const step = toStep(request, agent, task)
  if (!agent.isLive) return decide(step, await actByRules(step))
  beginInvocation(step)
  return decide(step, await actByModel(step))
}

function toStep(request: HostNodeRequest, agent: RunAgent, task: unknown): AgentStep {
  const memoryRef = memoryRefOf(request, agent)
  const { tokenBudget = limits.agentMemoryTokensDefault, ...selection } = selectionOf(request)
  return {
    request,
    agent,
    task,
    question: questionOf(task),
    surface: toolSurface(agent.toolAllowlist, memoryRef !== null, agent.lacksFiles),
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
function decide(step: AgentStep, acted: AgentOutcome | FailedNode): NodeResult {
  const { request, agent } = step
  const { events, node, configurable, resolution } = request
  const outcome = 'kind' in acted ? acted : checkResult(agent, acted)
  if ('kind' in outcome) {
    endInvocation(step, outcome.error.code === 'model_refused' ? 'refused' : 'failed')
    return outcome
  }
  const { agentId } = agent
  const { confidence, decision } = outcome
  const facts = { agentId, ...(confidence === undefined ? {} : { confidence }) }
  events.emit('agent.decided', { facts, text: { decision } })
  const threshold = thresholdOf(configurable, agent.threshold)
  const isUnsure = isBelow(confidence, threshold)
  // A person answers after the invocation, which ends when the agent asks.
  endInvocation(step, isUnsure ? 'escalated' : 'completed', confidence)
  if (!isUnsure) return completed(request, outcome.result, facts)
  if (resolution === null) return toEscalation(node.id, { agentId, confidence, threshold, decision })
  if (!isRatified(resolution.value)) return failed('agent_decision_rejected', 'The decision of the agent was rejected.')
  events.emit('agent.decided', { facts: { agentId }, text: { decision: { ...decision, ratified: true } } })
  return completed(request, outcome.result, facts)
}

function checkResult({ returnSchema }: RunAgent, outcome: AgentOutcome): AgentOutcome | FailedNode {
  const problem = schemaProblem(returnSchema, outcome.result, 'result')
  return problem === null ? outcome : failed('handoff_return_schema_violation', problem)
}

function completed(request: HostNodeRequest, result: unknown, facts: { readonly confidence?: number }): NodeResult {
  const { confidence } = facts
  return {
    kind: 'completed',
    outputs: { result, ...(confidence === undefined ? {} : { confidence }) },
    ...intoVariable(request, result),
  }
}
