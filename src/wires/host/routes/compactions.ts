import { dryRunCompaction, requestCompaction } from '../../../app/compaction/request.ts'
import { undoCompaction } from '../../../app/compaction/undo.ts'
import { getCompaction, listCompactions, withSources } from '../../../app/compaction/view.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { IdParams, NoQuery } from '../../params.ts'
import {
  Compaction,
  CompactionDryRun,
  CompactionPage,
  CompactionQuery,
  CompactionRequest,
  CompactionStarted,
} from '../schemas/compactions.ts'

const tags = ['compactions']
const base = '/v1/host/colophon/compactions'
const one = `${base}/:id(^[^:]+$)`
const forAdmins = { access: 'memory:admin' } as const
const forReaders = { access: 'memory:read' } as const

/** Many entries that become one: asked for, looked at, undone. */
export function compactionRoutes(app: App, { engine, stopping, wakeWorkers }: RouteParts): void {
  app.post(
    base,
    {
      config: forAdmins,
      schema: {
        tags,
        querystring: NoQuery,
        body: CompactionRequest,
        response: { 200: CompactionDryRun, 202: CompactionStarted },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { dryRun, ...draft } = request.body
      if (dryRun === true) return dryRunCompaction(engine.tenant(tenantId), draft, stopping)
      const { id, jobId, repeated } = await requestCompaction(engine.tenant(tenantId), draft, writeOptions(request))
      wakeWorkers()
      markReplay(request, reply, repeated)
      return reply.code(202).send({ id, jobId })
    },
  )
  app.get(
    base,
    {
      config: forReaders,
      schema: { tags, querystring: CompactionQuery, response: { 200: CompactionPage } },
    },
    async (request) => {
      const { memoryRef = null, limit = 0, cursor = null } = request.query
      if (cursor !== null && !/^cmp_[\w-]{1,64}$/.test(cursor))
        throw invalid('cursor', 'must be a cursor from an earlier page')
      const size = Math.min(limit > 0 ? limit : limits.pageEntriesDefault, limits.pageEntriesMax)
      const query = { memoryRef, after: cursor, limit: size + 1 }
      const found = await listCompactions(engine.tenant(principalOf(request).tenantId), query)
      const compactions = found.slice(0, size)
      const last = compactions.at(-1)
      return { compactions, ...(found.length > size && last ? { cursor: last.id } : {}) }
    },
  )
  app.get(
    one,
    {
      config: forReaders,
      schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: Compaction } },
    },
    async (request) => getCompaction(engine.tenant(principalOf(request).tenantId), request.params.id),
  )
  app.post(
    `${one}::undo`,
    {
      config: forAdmins,
      schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: Compaction } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { compaction, repeated } = await undoCompaction(
        engine.tenant(tenantId),
        request.params.id,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return withSources(engine.tenant(tenantId), compaction)
    },
  )
}
