import { previewRules } from '../../../app/provenance/claims.ts'
import { changeWriter, createWriter, getWriter, listWriters } from '../../../app/provenance/writers.ts'
import { toInstant } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import type { Writer as StoredWriter } from '../../../core/provenance/writer.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { PreviewResult, RulesPreview } from '../../host/schemas/claims.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { JobStarted } from '../../schema-parts.ts'
import { Writer, WriterDraft, WriterList, WriterQuery } from '../schemas/writers.ts'

const tags = ['writers']
const base = '/v1/tenant/service-writers'
const forAdmins = { access: 'memory:admin' } as const

/** Services that tell memories, and how much their word counts. */
export function writerRoutes(app: App, { engine, wakeWorkers }: RouteParts): void {
  app.get(
    base,
    { config: forAdmins, schema: { tags, querystring: WriterQuery, response: { 200: WriterList } } },
    async (request) => {
      const { limit = limits.pageEntriesDefault, cursor = '' } = request.query
      const all = await listWriters(engine.tenant(principalOf(request).tenantId))
      const found = all.filter(({ serviceKey }) => serviceKey > cursor)
      const shown = found.slice(0, Math.min(Math.max(limit, 1), limits.pageEntriesMax))
      const last = shown.at(-1)
      return { data: shown.map(toView), ...(shown.length < found.length && last ? { cursor: last.serviceKey } : {}) }
    },
  )

  app.post(
    base,
    {
      config: forAdmins,
      schema: { tags, querystring: NoQuery, body: WriterDraft, response: { 201: Writer } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { writer, repeated } = await createWriter(engine.tenant(tenantId), request.body, writeOptions(request))
      markReplay(request, reply, repeated)
      return reply.code(201).send(toView(writer))
    },
  )

  app.patch(
    `${base}/:id`,
    {
      config: forAdmins,
      schema: { tags, params: IdParams, querystring: NoQuery, body: WriterDraft, response: { 200: Writer } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { writer, repeated } = await changeWriter(
        engine.tenant(tenantId),
        request.params.id,
        request.body,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return toView(writer)
    },
  )

  app.post(
    `${base}/:id(^[^:]+$)::reresolve`,
    {
      config: forAdmins,
      schema: { tags, params: IdParams, querystring: NoQuery, response: { 202: JobStarted } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      // Asked for before the job is made, so that an unknown writer is told at once.
      await getWriter(engine.tenant(tenantId), request.params.id)
      const draft = { kind: 'colophon.reresolve', payload: { writerId: request.params.id } }
      const { jobId, repeated } = await enqueue(engine.tenant(tenantId), draft, writeOptions(request))
      wakeWorkers()
      markReplay(request, reply, repeated)
      return reply.code(202).send({ jobId })
    },
  )

  app.post(
    '/v1/host/colophon/writers/:id(^[^:]+$)::preview',
    {
      config: forAdmins,
      schema: {
        tags,
        params: IdParams,
        querystring: NoQuery,
        body: RulesPreview,
        response: { 200: PreviewResult },
      },
    },
    async (request) => previewRules(engine.tenant(principalOf(request).tenantId), request.params.id, request.body),
  )
}

function toView(writer: StoredWriter) {
  return {
    id: writer.writerId,
    service_key: writer.serviceKey,
    display_name: writer.displayName,
    authority_rules: writer.authorityRules,
    api_key_id: writer.apiKeyId,
    is_active: writer.isActive,
    created_at: toInstant(writer.createdAt),
    updated_at: toInstant(writer.updatedAt),
    rule_changes: writer.changes.map(({ at, ...change }) => ({ at: toInstant(at), ...change })),
  } as never
}
