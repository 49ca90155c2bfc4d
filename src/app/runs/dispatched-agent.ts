import { type RunAgent, splitAgent } from '../../core/agents/run-agent.ts'
import { isColophonError } from '../../core/errors.ts'
import { turnOf } from '../../core/run/orchestration.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { WorkflowNode } from '../../core/workflow/definition.ts'
import { scopesOfActor } from '../access/scopes-of-actor.ts'
import { loadRunAgent } from '../agents.ts'
import type { RecordedRun } from './recorded-run.ts'
import { ReplaySourceMissing } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

/** The agent as the run knows it: as it was when the run first dispatched it. */
export async function dispatchedAgent(execution: RunExecution, agentId: string): Promise<RunAgent> {
  const known = knownAgent(execution.progress, agentId)
  if (known !== null) return known
  const { tenant, progress, source } = execution
  if (source !== null) throw new ReplaySourceMissing()
  const loaded = await loadRunAgent(tenant, agentId)
  const mayReadFiles = (await scopesOfActor(tenant, progress.facts.actor)).includes('workspace:read')
  const agent: RunAgent = mayReadFiles ? loaded : { ...loaded, lacksFiles: true }
  addAgent(progress, agentId, splitAgent(agent))
  return agent
}

/**
 * The agent of a supervisor, if it is installed: a supervisor may also decide for an agent that is only named. Whether it is, is found out
 * once, before its first decision: a manifest that is stored later changes nothing in the run.
 */
export async function installedAgent(execution: RunExecution, node: WorkflowNode): Promise<RunAgent | null> {
  const agentId = node.agent?.agentId
  if (agentId === undefined) return null
  const { progress, source } = execution
  const isFirst = turnOf(progress, node.id) === 1 && progress.text.interrupts[node.id] === undefined
  if (source !== null || !isFirst) return knownAgent(progress, agentId)
  try {
    return await dispatchedAgent(execution, agentId)
  } catch (error) {
    if (isColophonError(error, 'agent_not_found')) return null
    throw error
  }
}

function knownAgent({ facts, text }: RunProgress, agentId: string): RunAgent | null {
  const known = { facts: facts.agents?.[agentId], text: text.agents?.[agentId] }
  return known.facts === undefined || known.text === undefined ? null : { agentId, ...known.facts, ...known.text }
}

/** A fork that takes over a node of an agent takes over the agent as its source knew it. */
export function inheritAgent(progress: RunProgress, { run }: RecordedRun, agentId: string | undefined): void {
  if (agentId === undefined) return
  const facts = run.facts.agents?.[agentId]
  const text = run.text.agents?.[agentId]
  if (facts !== undefined && text !== undefined) addAgent(progress, agentId, { facts, text })
}

function addAgent(progress: RunProgress, agentId: string, { facts, text }: ReturnType<typeof splitAgent>): void {
  progress.set({
    facts: { agents: { ...progress.facts.agents, [agentId]: facts } },
    text: { agents: { ...progress.text.agents, [agentId]: text } },
  })
}
