import { parseBody } from '../../../core/audit.ts'
import { toInstant } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { PageQuery } from '../../schema-parts.ts'
import { AuditPage } from '../schemas/audit.ts'

/** The audit of the key's tenant, to read. */
export function auditRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    '/v1/host/colophon/audit',
    {
      config: { access: 'audit:read' },
      schema: { tags: ['audit'], querystring: PageQuery, response: { 200: AuditPage } },
    },
    async (request) => {
      const { tenantId } = principalOf(request)
      const { limit = 0, cursor = '0' } = request.query
      if (!/^\d{1,15}$/.test(cursor)) throw invalid('cursor', 'must be a cursor from an earlier page')
      const size = Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax)
      const rows = await engine.storage.audit({
        tenantId,
        from: Number(cursor) + 1,
        to: Number.MAX_SAFE_INTEGER,
        limit: size + 1,
      })
      const shown = rows.slice(0, size)
      const last = shown.at(-1)
      return {
        records: shown.map((row) => {
          const { kind, actor, ...body } = parseBody(row)
          return { position: row.position, at: toInstant(row.at), kind, actor, hash: row.hash, body }
        }),
        head: await engine.tenant(tenantId).auditHead(),
        ...(rows.length > size && last ? { cursor: String(last.position) } : {}),
      }
    },
  )
}
