import { getAgent, listAgents, putAgent, removeAgent } from '../../../app/agents.ts'
import { hostMemory } from '../../../app/capabilities.ts'
import { toInventoryEntry } from '../../../core/agent-inventory.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { AgentParams, IdParams, NoQuery } from '../../params.ts'
import { Deleted } from '../../schema-parts.ts'
import { AgentInventory, AgentInventoryEntry, AgentManifest } from '../schemas/agents.ts'

const managed = '/v1/host/colophon/agents'
const forReaders = { access: 'runs:read' } as const
const forAdmins = { access: 'memory:admin' } as const

/** The agents of the key's tenant, measured by what this host's memory can do at this moment. */
export function agentRoutes(app: App, { engine, facts }: RouteParts): void {
  const memory = async () => hostMemory(await facts())
  for (const path of ['/v1/agents', managed]) {
    app.get(
      path,
      {
        config: forReaders,
        schema: { tags: ['agents'], querystring: NoQuery, response: { 200: AgentInventory } },
      },
      async (request) => {
        const installed = await listAgents(engine.tenant(principalOf(request).tenantId), await memory())
        return { agents: installed, total: installed.length }
      },
    )
  }

  app.get(
    '/v1/agents/:agentId',
    {
      config: forReaders,
      schema: {
        tags: ['agents'],
        params: AgentParams,
        querystring: NoQuery,
        response: { 200: AgentInventoryEntry },
      },
    },
    async (request) => {
      const manifest = await getAgent(engine.tenant(principalOf(request).tenantId), request.params.agentId)
      return toInventoryEntry(manifest, await memory())
    },
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
