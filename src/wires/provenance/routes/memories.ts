import { eraseMemory } from '../../../app/forget/memory.ts'
import { add } from '../../../app/provenance/add.ts'
import { deleteMemory, patchMemory } from '../../../app/provenance/change-memory.ts'
import { memoryHistory, memorySources } from '../../../app/provenance/history.ts'
import { findMemory, getMemory, listMemories } from '../../../app/provenance/memories.ts'
import { retrieve } from '../../../app/provenance/retrieve.ts'
import { toInstant } from '../../../core/check.ts'
import { ColophonError } from '../../../core/errors.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { IdParams, NoQuery } from '../../params.ts'
import {
  AddAnswer,
  AddDraft,
  DeleteQuery,
  History,
  Memory,
  MemoryPage,
  MemoryPatch,
  MemoryQuery,
  Removed,
  Retrieval,
  RetrieveDraft,
  SourceList,
} from '../schemas/memories.ts'

const tags = ['memories']
const one = '/v1/memories/:id(^[^:]+$)'

/** Memories about people, with who told them. */
export function memoriesRoutes(app: App, parts: RouteParts): void {
  tellRoutes(app, parts)
  readRoutes(app, parts)
  changeRoutes(app, parts)
}

function tellRoutes(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/memories/add',
    {
      config: { access: 'memory:write' },
      schema: { tags, querystring: NoQuery, body: AddDraft, response: { 202: AddAnswer } },
    },
    async (request, reply) => {
      const { tenantId, actor, keyId } = principalOf(request)
      const caller = { actor, keyId, requestId: request.id }
      const { event, repeated, hasNothing } = await add(
        engine.tenant(tenantId),
        request.body,
        caller,
        writeOptions(request),
      )
      if (repeated) {
        reply.header('idempotent-replay', 'true')
        reply.header('openwop-idempotent-replay', 'true')
      } else markReplay(request, reply, false)
      return reply.code(202).send({
        job_id: event.jobId,
        status: 'queued',
        ...(hasNothing ? { nothing_to_extract: true } : {}),
        processing_eta_seconds: 1,
        request_id: event.requestId,
        timestamp: toInstant(event.receivedAt),
        memory_ref: `subject:${event.subject}`,
      })
    },
  )

  app.post(
    '/v1/memories/retrieve',
    {
      config: { access: 'memory:read' },
      schema: { tags, querystring: NoQuery, body: RetrieveDraft, response: { 200: Retrieval } },
    },
    async (request) => retrieve(engine.tenant(principalOf(request).tenantId), request.body),
  )
}

function readRoutes(app: App, { engine }: RouteParts): void {
  const forReaders = { access: 'memory:read' } as const
  app.get(
    '/v1/memories',
    { config: forReaders, schema: { tags, querystring: MemoryQuery, response: { 200: MemoryPage } } },
    async (request) => {
      const { external_user_id, agent_id, categories, limit, cursor, include_superseded, as_of } = request.query
      return listMemories(engine.tenant(principalOf(request).tenantId), {
        subject: external_user_id,
        agentId: agent_id,
        categories: categories?.split(',').filter(Boolean),
        limit,
        cursor,
        includeSuperseded: include_superseded,
        asOf: as_of,
      })
    },
  )
  app.get(
    one,
    { config: forReaders, schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: Memory } } },
    async (request) => getMemory(engine.tenant(principalOf(request).tenantId), request.params.id),
  )
  app.get(
    `${one}/history`,
    { config: forReaders, schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: History } } },
    async (request) => ({
      data: await memoryHistory(engine.tenant(principalOf(request).tenantId), request.params.id),
    }),
  )
  app.get(
    `${one}/sources`,
    {
      config: forReaders,
      schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: SourceList } },
    },
    async (request) => {
      const { tenantId } = principalOf(request)
      return {
        data: await memorySources(
          engine.tenant(tenantId),
          await findMemory(engine.tenant(tenantId), request.params.id),
        ),
      }
    },
  )
}

function changeRoutes(app: App, { engine }: RouteParts): void {
  app.patch(
    one,
    {
      config: { access: 'memory:write' },
      schema: { tags, params: IdParams, querystring: NoQuery, body: MemoryPatch, response: { 200: Memory } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { memory, repeated } = await patchMemory(
        engine.tenant(tenantId),
        request.params.id,
        request.body,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return memory
    },
  )
  app.delete(
    one,
    {
      config: { access: 'memory:delete' },
      schema: { tags, params: IdParams, querystring: DeleteQuery, response: { 200: Removed } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { id } = request.params
      const hasKey = request.headers['idempotency-key'] !== undefined
      const options = writeOptions(request)
      if (request.query.hard_delete) {
        // A repeated call finds nothing; its key tells that it was this very call.
        if (!hasKey) await findMemory(engine.tenant(tenantId), id, { isDeletedToo: true })
        const { repeated } = await eraseMemory(engine.tenant(tenantId), id, options)
        markReplay(request, reply, repeated)
        return { id, deleted: true }
      }
      const entry = await findMemory(engine.tenant(tenantId), id, { isDeletedToo: hasKey })
      const { repeated } = await deleteMemory(engine.tenant(tenantId), entry, options)
      if (entry.endedReason === 'deleted' && !repeated) throw new ColophonError('not_found', 'There is no such memory.')
      markReplay(request, reply, repeated)
      return { id, deleted: true }
    },
  )
}
