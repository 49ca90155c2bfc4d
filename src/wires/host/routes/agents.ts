import { listAgents, putAgent, removeAgent } from '../../../app/agents.ts'
import { respond, route } from '../../../http/route.ts'
import { hostOffer } from '../../openwop-v1/discovery.ts'
import { AgentInventory, AgentInventoryEntry, AgentManifest } from '../../openwop-v1/schemas/agents.ts'
import { toInventory, toInventoryEntry } from '../../openwop-v1/views/agents.ts'
import { Deleted } from '../../schema-parts.ts'

const base = '/v1/host/colophon/agents'
const tag = 'agents'

/** The agents of the key's tenant: listed, installed, removed. */
export const agentRoutes = [
  route('listHostAgents', `GET ${base}`, 'runs:read', {
    summary: 'List agents',
    description: 'The same as `GET /v1/agents`.',
    tag,
    responses: { 200: AgentInventory },
    handler: async ({ tenant, parts }) => toInventory(listAgents(tenant), hostOffer(await parts.facts())),
  }),
  route('putAgent', `POST ${base}`, 'memory:admin', {
    summary: 'Install an agent',
    description:
      'Adds an agent (201), or replaces the one with the same id (200). The response lists the capabilities that this host lacks for it.',
    tag,
    body: AgentManifest,
    responses: { 200: AgentInventoryEntry, 201: AgentInventoryEntry },
    async handler({ tenant, parts, body, write }) {
      const host = hostOffer(await parts.facts())
      const { manifest, created, repeated } = await putAgent(tenant, body, host.document, write)
      return respond(toInventoryEntry(manifest, host), { status: created ? 201 : 200, repeated })
    },
  }),
  route('deleteAgent', `DELETE ${base}/{id}`, 'memory:admin', {
    summary: 'Remove an agent',
    description: 'Removes an installed agent. Its memory stays.',
    tag,
    responses: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeAgent(tenant, params.id, write)
      return respond({ deleted }, { repeated })
    },
  }),
]
