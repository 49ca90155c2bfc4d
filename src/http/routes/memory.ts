import { removeEntry } from '../../app/change-entry.ts'
import { putEntries } from '../../app/put.ts'
import type { ReadOptions } from '../../app/read.ts'
import { viewOfRun } from '../../app/runs/run-view.ts'
import type { Tenant } from '../../app/tenant.ts'
import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import * as wire from '../../wire/schemas.ts'
import { SearchAnswer, SearchDraft } from '../../wire/search.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../context.ts'
import { markReplay } from '../replay.ts'

const base = '/v1/host/colophon/memory'

/** Refs and entries: the memory of the key's tenant. */
export function memoryRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    base,
    {
      config: { access: 'memory:read' },
      schema: { tags: ['memory'], querystring: wire.PageQuery, response: { 200: wire.RefPage } },
    },
    async (request) => {
      const { limit = 0, cursor } = request.query
      const size = Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax)
      const { tenantId } = principalOf(request)
      const found = await engine.storage.refs({
        tenantId,
        after: cursor ?? null,
        now: engine.system.now(),
        limit: size + 1,
      })
      const refs = found.slice(0, size).map((ref) => ({ ...ref, lastWriteAt: toInstant(ref.lastWriteAt) }))
      const last = refs.at(-1)
      return { refs, ...(found.length > size && last ? { cursor: last.memoryRef } : {}) }
    },
  )

  app.get(
    `${base}/:ref/entries`,
    {
      config: { access: 'memory:read' },
      schema: {
        tags: ['memory'],
        params: wire.RefParams,
        querystring: wire.EntryQuery,
        response: { 200: wire.EntryPage },
      },
    },
    async (request) => {
      const { asOf: _asOf, runId: _runId, ...options } = request.query
      const { tenantId } = principalOf(request)
      const view = await readView(engine.tenant(tenantId), request.query)
      return engine.tenant(tenantId).list(request.params.ref, { ...options, ...view })
    },
  )

  app.post(
    `${base}/:ref/entries`,
    {
      config: { access: 'memory:write' },
      schema: {
        tags: ['memory'],
        params: wire.RefParams,
        querystring: wire.NoQuery,
        body: wire.EntryDraft,
        response: { 201: wire.MemoryEntry },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const options = writeOptions(request)
      const { entries, repeated } = await putEntries(
        engine.tenant(tenantId),
        request.params.ref,
        [request.body],
        options,
        'put',
      )
      markReplay(request, reply, repeated)
      return reply.code(201).send(found(entries[0] ?? null))
    },
  )

  app.post(
    `${base}/:ref/entries::batch`,
    {
      config: { access: 'memory:write' },
      schema: {
        tags: ['memory'],
        params: wire.RefParams,
        querystring: wire.NoQuery,
        body: wire.EntryBatch,
        response: { 201: wire.EntryBatchResult },
      },
    },
    async (request, reply) => {
      const memory = engine.tenant(principalOf(request).tenantId)
      const { entries, position, repeated } = await memory.putMany(
        request.params.ref,
        request.body.entries,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return reply.code(201).send({ entries, position })
    },
  )

  app.post(
    `${base}/:ref/search`,
    {
      config: { access: 'memory:read' },
      schema: {
        tags: ['memory'],
        params: wire.RefParams,
        querystring: wire.NoQuery,
        body: SearchDraft,
        response: { 200: SearchAnswer },
      },
    },
    async (request) => {
      const { query, asOf, runId, ...options } = request.body
      const { tenantId } = principalOf(request)
      const view = await readView(engine.tenant(tenantId), {
        asOf: asOf === undefined ? undefined : String(asOf),
        runId,
      })
      return engine.tenant(tenantId).search(request.params.ref, query, { ...options, ...view })
    },
  )

  app.get(
    `${base}/:ref/entries/:id`,
    {
      config: { access: 'memory:read' },
      schema: {
        tags: ['memory'],
        params: wire.EntryParams,
        querystring: wire.AsOfQuery,
        response: { 200: wire.MemoryEntry },
      },
    },
    async (request) => {
      const { ref, id } = request.params
      const { tenantId } = principalOf(request)
      const view = await readView(engine.tenant(tenantId), request.query)
      return found(await engine.tenant(tenantId).get(ref, id, view))
    },
  )

  app.get(
    `${base}/:ref/entries/:id/colophon`,
    {
      config: { access: 'memory:read' },
      schema: {
        tags: ['memory'],
        params: wire.EntryParams,
        querystring: wire.AsOfQuery,
        response: { 200: wire.EntryColophon },
      },
    },
    async (request) => {
      const { ref, id } = request.params
      const { tenantId } = principalOf(request)
      const view = await readView(engine.tenant(tenantId), request.query)
      return found(await engine.tenant(tenantId).colophon(ref, id, view))
    },
  )

  app.delete(
    `${base}/:ref/entries/:id`,
    {
      config: { access: 'memory:delete' },
      schema: {
        tags: ['memory'],
        params: wire.EntryParams,
        querystring: wire.NoQuery,
        response: { 200: wire.Deleted },
      },
    },
    async (request, reply) => {
      const { ref, id } = request.params
      const { tenantId } = principalOf(request)
      const { deleted, repeated } = await removeEntry(engine.tenant(tenantId), ref, id, writeOptions(request))
      markReplay(request, reply, repeated)
      return { deleted }
    },
  )

  app.get(
    '/v1/memory/:ref',
    {
      config: { access: 'memory:read' },
      schema: {
        tags: ['memory'],
        params: wire.RefParams,
        querystring: wire.ListQuery,
        response: { 200: wire.EntryList },
      },
    },
    async (request) => {
      const { entries } = await engine.tenant(principalOf(request).tenantId).list(request.params.ref, request.query)
      return { entries }
    },
  )
}

type ViewQuery = { readonly asOf?: string | undefined; readonly runId?: string | undefined }

/** A position is a plain number; anything else is taken for an instant. A run has a view of its own. */
async function readView(tenant: Tenant, { asOf, runId }: ViewQuery): Promise<ReadOptions> {
  const run = runId === undefined ? {} : { run: await viewOfRun(tenant, runId) }
  if (asOf === undefined) return run
  return { asOf: /^\d{1,15}$/.test(asOf) ? Number(asOf) : asOf, ...run }
}

function found<T>(value: T | null): T {
  if (value === null) throw new ColophonError('not_found', 'There is no such entry.')
  return value
}
