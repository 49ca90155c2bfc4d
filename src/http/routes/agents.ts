import { getAgent, listAgents, putAgent, removeAgent } from '../../app/agents.ts'
import { toInventoryEntry } from '../../core/agent-inventory.ts'
import type { HostMemory } from '../../core/memory-dimensions.ts'
import * as agents from '../../wire/agents.ts'
import * as wire from '../../wire/schemas.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../context.ts'
import { markReplay } from '../replay.ts'

const managed = '/v1/host/colophon/agents'
const forReaders = { access: 'runs:read' } as const
const forAdmins = { access: 'memory:admin' } as const

/** The agents of the key's tenant, measured by what this host's memory can do at this moment. */
export function agentRoutes(app: App, { engine }: RouteParts, hostMemory: () => Promise<HostMemory>): void {
  for (const path of ['/v1/agents', managed]) {
    app.get(
      path,
      {
        config: forReaders,
        schema: { tags: ['agents'], querystring: wire.NoQuery, response: { 200: agents.AgentInventory } },
      },
      async (request) => {
        const installed = await listAgents(engine.tenant(principalOf(request).tenantId), await hostMemory())
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
        params: agents.AgentParams,
        querystring: wire.NoQuery,
        response: { 200: agents.AgentInventoryEntry },
      },
    },
    async (request) => {
      const manifest = await getAgent(engine.tenant(principalOf(request).tenantId), request.params.agentId)
      return toInventoryEntry(manifest, await hostMemory())
    },
  )

  app.post(
    managed,
    {
      config: forAdmins,
      schema: {
        tags: ['agents'],
        querystring: wire.NoQuery,
        body: agents.AgentManifest,
        response: { 200: agents.AgentInventoryEntry, 201: agents.AgentInventoryEntry },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const host = await hostMemory()
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
      schema: { tags: ['agents'], params: wire.IdParams, querystring: wire.NoQuery, response: { 200: wire.Deleted } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { deleted, repeated } = await removeAgent(engine.tenant(tenantId), request.params.id, writeOptions(request))
      markReplay(request, reply, repeated)
      return { deleted }
    },
  )
}
