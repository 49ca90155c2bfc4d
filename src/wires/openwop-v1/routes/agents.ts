import { getAgent, listAgents } from '../../../app/agents.ts'
import { route } from '../../../http/route.ts'
import { hostOffer } from '../discovery.ts'
import { AgentInventory, AgentInventoryEntry } from '../schemas/agents.ts'
import { toInventory, toInventoryEntry } from '../views/agents.ts'

const tag = 'agents'

/** The agents of the key's tenant, with the capabilities that this host lacks now. */
export const agentRoutes = [
  route('listAgents', 'GET /v1/agents', 'runs:read', {
    summary: 'List agents',
    description:
      'All installed agents in order of id, each with the capabilities that it requests and this host lacks.',
    tag,
    responses: { 200: AgentInventory },
    handler: async ({ tenant, parts }) => toInventory(listAgents(tenant), hostOffer(await parts.facts())),
  }),
  route('getAgent', 'GET /v1/agents/{agentId}', 'runs:read', {
    summary: 'Get an agent',
    description: 'One installed agent. Prompts and handoff schemas are not shown.',
    tag,
    responses: { 200: AgentInventoryEntry },
    handler: async ({ tenant, params, parts }) =>
      toInventoryEntry(await getAgent(tenant, params.agentId), hostOffer(await parts.facts())),
  }),
]
