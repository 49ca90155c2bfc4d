import { listAudit } from '../../../app/verify/verify.ts'
import { toInstant } from '../../../core/check.ts'
import { route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { AuditPage, AuditQuery } from '../schemas/audit.ts'

/** The audit of the key's tenant. */
export const auditRoutes = [
  route('listAudit', 'GET /v1/host/colophon/audit', 'audit:read', {
    summary: 'List audit records',
    description: 'The hash-chained record of every commit, oldest first, and the head of the chain.',
    tag: 'audit',
    query: AuditQuery,
    responses: { 200: AuditPage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'position', ({ after, limit }) =>
        listAudit(tenant, { after: Number(after ?? 0), limit }),
      )
      const records = items.map((record) => ({ ...record, at: toInstant(record.at) }))
      return { records, head: await tenant.auditHead(), ...next }
    },
  }),
]
