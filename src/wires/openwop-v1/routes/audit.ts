import { genesisHash } from '../../../core/audit.ts'
import { route } from '../../../http/route.ts'
import { AuditVerifyResult, VerifyQuery } from '../schemas/audit.ts'

export const auditRoutes = [
  route('verifyAudit', 'GET /v1/audit/verify', 'audit:read', {
    summary: 'Verify the audit chain',
    description:
      'Recomputes the hash chain of the tenant and names the first record that was edited, removed, added or reordered.',
    tag: 'audit',
    query: VerifyQuery,
    answers: { 200: AuditVerifyResult },
    async handler({ tenant, query: { fromSeq, toSeq, contents } }) {
      // Positions begin at 1; sequence 0 of a caller means "from the beginning".
      const range = { ...(fromSeq ? { from: fromSeq } : {}), ...(toSeq === undefined ? {} : { to: toSeq }) }
      const verdict = await tenant.verify({ ...range, contents: contents === 'true' })
      const { ok, from, to, fault, lastHash = genesisHash } = verdict
      // Rows do not repeat the hash before them, they are hashed together with it: so what it "carries" stays empty.
      const anomalies = fault ? [{ atSeq: fault.position, expectedPrevHash: lastHash, actualPrevHash: '' }] : []
      return { fromSeq: fromSeq ?? from, toSeq: to, chainValid: ok, checkpoints: [], anomalies }
    },
  }),
]
