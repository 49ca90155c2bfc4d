import { listAudit } from '../../../app/verify/verify.ts'
import { toInstant } from '../../../core/check.ts'
import { route } from '../../../http/route.ts'
import { pageSize } from '../../page.ts'
import { AuditPage, AuditQuery } from '../schemas/audit.ts'

/** The audit of the key's tenant. */
export const auditRoutes = [
  route('listAudit', 'GET /v1/host/colophon/audit', 'audit:read', {
    summary: 'List audit records',
    description:
      'The hash-chained record of every commit, oldest first, and the head of the chain. Of long records a page has fewer than its limit.',
    tag: 'audit',
    query: AuditQuery,
    responses: { 200: AuditPage },
    async handler({ tenant, query: { cursor, after = 0, limit } }) {
      const found = await listAudit(tenant, { after: Number(cursor ?? after), limit: pageSize(limit) })
      const records = found.map((record) => ({ ...record, at: toInstant(record.at) }))
      const head = await tenant.auditHead()
      const last = found.at(-1)?.position ?? head.position
      return { records, head, ...(last < head.position ? { cursor: String(last) } : {}) }
    },
  }),
]
