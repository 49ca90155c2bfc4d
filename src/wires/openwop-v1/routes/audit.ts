import { genesisHash } from '../../../core/audit/audit.ts'
import { parseAuditHead } from '../../../core/audit/audit-head.ts'
import type { AuditFault } from '../../../core/audit/verify/verdict.ts'
import { route } from '../../../http/route.ts'
import { AuditVerifyResult, VerifyQuery } from '../schemas/audit.ts'

export const auditRoutes = [
  route('verifyAudit', 'GET /v1/audit/verify', 'audit:read', {
    summary: 'Verify the audit chain',
    description:
      'Recomputes the hash chain of the tenant and returns the first record that was edited, removed, added or reordered. With contents=true, the expected state is rebuilt from the whole chain, and every stored row that differs, has no record or is missing is returned. With head, the chain must still contain a head that was saved elsewhere. With checkpoint, the log must still begin with the records of a signed checkpoint.',
    tag: 'audit',
    query: VerifyQuery,
    responses: { 200: AuditVerifyResult },
    async handler({ tenant, query: { fromSeq, toSeq, contents, head, checkpoint } }) {
      // Positions start at 1; sequence 0 means "from the beginning".
      const range = { ...(fromSeq ? { from: fromSeq } : {}), ...(toSeq === undefined ? {} : { to: toSeq }) }
      const kept = {
        ...(head === undefined ? {} : { head: parseAuditHead(head, tenant.id) }),
        ...(checkpoint === undefined ? {} : { checkpoint }),
      }
      const verdict = await tenant.verify({ ...range, ...kept, contents: contents === 'true' })
      const { ok, from, to, fault, lastHash = genesisHash } = verdict
      // OpenWOP closes the schema of a fault. Requests with the parameters of this host get more members.
      const isExtended = contents !== undefined || head !== undefined || checkpoint !== undefined
      const found = verdict.contents?.anomalies ?? (fault ? [fault] : [])
      const answer = {
        fromSeq: fromSeq ?? from,
        toSeq: to,
        chainValid: ok,
        checkpoints: [],
        anomalies: found.map((anomaly) => toAnomaly(anomaly, lastHash, isExtended)),
      }
      if (verdict.contents === undefined) return answer
      const { anomalies: _shown, ...compared } = verdict.contents
      return { ...answer, contents: compared }
    },
  }),
]

/** A record does not store the previous hash; it is only hashed together with it. So `actualPrevHash` is empty. */
function toAnomaly({ position, what = 'record', ...named }: AuditFault, lastHash: string, isExtended: boolean) {
  const anomaly = { atSeq: position, expectedPrevHash: lastHash, actualPrevHash: '' }
  return isExtended ? { ...anomaly, what, ...named } : anomaly
}
