import { getAgent, listAgents } from '../../../app/agents.ts'
import { route } from '../../../http/route.ts'
import { hostOffer } from '../../openwop-v1/discovery.ts'
import { AgentInventory, AgentInventoryEntry } from '../../openwop-v1/schemas/agents.ts'
import { toInventory, toInventoryEntry } from '../../openwop-v1/views/agents.ts'
import { openAuthoredId } from '../ids.ts'

const tag = 'agents'

/** The agents of the key's tenant. Both versions show them alike. */
export const agentRoutes = [
  route('listAgents', 'GET /agents', 'runs:read', {
    summary: 'List agents',
    description:
      'All installed agents in order of id, each with the capabilities that it requests and this host lacks.',
    tag,
    responses: { 200: AgentInventory },
    handler: async ({ tenant, parts }) => toInventory(listAgents(tenant), hostOffer(await parts.facts())),
  }),
  route('getAgent', 'GET /agents/{agentId}', 'runs:read', {
    summary: 'Get an agent',
    description: 'One installed agent. Prompts and handoff schemas are not shown.',
    tag,
    responses: { 200: AgentInventoryEntry },
    async handler({ tenant, params, parts }) {
      const agent = await getAgent(tenant, openAuthoredId('agentId', params.agentId))
      return toInventoryEntry(agent, hostOffer(await parts.facts()))
    },
  }),
]
