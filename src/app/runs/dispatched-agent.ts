import { type RunAgent, splitAgent } from '../../core/agents/run-agent.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import { scopesOfActor } from '../access/scopes-of-actor.ts'
import { loadRunAgent } from '../agents.ts'
import type { RecordedRun } from './recorded-run.ts'
import { ReplaySourceMissing } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

/** The agent as the run knows it: as it was when the run first dispatched it. */
export async function dispatchedAgent({ tenant, progress, source }: RunExecution, agentId: string): Promise<RunAgent> {
  const facts = progress.facts.agents?.[agentId]
  const text = progress.text.agents?.[agentId]
  if (facts !== undefined && text !== undefined) return { agentId, ...facts, ...text }
  if (source !== null) throw new ReplaySourceMissing()
  const loaded = await loadRunAgent(tenant, agentId)
  const mayReadFiles = (await scopesOfActor(tenant, progress.facts.actor)).includes('workspace:read')
  const agent: RunAgent = mayReadFiles ? loaded : { ...loaded, lacksFiles: true }
  addAgent(progress, agentId, splitAgent(agent))
  return agent
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
