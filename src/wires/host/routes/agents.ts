import { listAgents, putAgent, removeAgent } from '../../../app/agents.ts'
import { hostMemory } from '../../../app/capabilities.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { AgentInventory, AgentInventoryEntry, AgentManifest } from '../../openwop-v1/schemas/agents.ts'
import { toInventory, toInventoryEntry } from '../../openwop-v1/views/agent.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { Deleted } from '../../schema-parts.ts'

const managed = '/v1/host/colophon/agents'
const forAdmins = { access: 'memory:admin' } as const

/** The agents of the key's tenant: listed, installed, removed. */
export function agentRoutes(app: App, { engine, facts }: RouteParts): void {
  const memory = async () => hostMemory(await facts())
  app.get(
    managed,
    {
      config: { access: 'runs:read' },
      schema: { tags: ['agents'], querystring: NoQuery, response: { 200: AgentInventory } },
    },
    async (request) => toInventory(listAgents(engine.tenant(principalOf(request).tenantId)), await memory()),
  )

  app.post(
    managed,
    {
      config: forAdmins,
      schema: {
        tags: ['agents'],
        querystring: NoQuery,
        body: AgentManifest,
        response: { 200: AgentInventoryEntry, 201: AgentInventoryEntry },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const host = await memory()
      const { manifest, created, repeated } = await putAgent(
        engine.tenant(tenantId),
        request.body,
        host,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return reply.code(created ? 201 : 200).send(toInventoryEntry(manifest, host))
    },
  )

  app.delete(
    `${managed}/:id`,
    {
      config: forAdmins,
      schema: { tags: ['agents'], params: IdParams, querystring: NoQuery, response: { 200: Deleted } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { deleted, repeated } = await removeAgent(engine.tenant(tenantId), request.params.id, writeOptions(request))
      markReplay(request, reply, repeated)
      return { deleted }
    },
  )
}
