import { readTreeHead } from '../../../app/log/read-log.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { genesisHash } from '../../../core/audit/audit.ts'
import { canonicalJson } from '../../../core/canonical.ts'
import { route } from '../../../http/route.ts'
import { AuditVerifyV2, VerifyQueryV2 } from '../schemas/audit.ts'

export const auditRoutes = [
  route('verifyAuditLog', 'GET /audit/verify', 'audit:read', {
    summary: 'Verify the audit log',
    description:
      'Recomputes the hash chain of the tenant. If it is valid, the response has a checkpoint of the Merkle tree over its first `toSeq` records, signed now with the key of this host (`GET /v1/host/colophon/signing-key`). The signature is over the canonical JSON (RFC 8785) of the checkpoint without `signature`.',
    tag: 'audit',
    query: VerifyQueryV2,
    responses: { 200: AuditVerifyV2 },
    async handler({ tenant, query: { fromSeq, toSeq } }) {
      // Positions start at 1; sequence 0 means "from the beginning".
      const range = { ...(fromSeq ? { from: fromSeq } : {}), ...(toSeq === undefined ? {} : { to: toSeq }) }
      const { ok, from, to, fault, lastHash = genesisHash } = await tenant.verify(range)
      const anomalies = fault ? [{ atSeq: fault.position, expectedPrevHash: lastHash, actualPrevHash: '' }] : []
      // What is not valid is not signed.
      const checkpoints = ok ? [await signCheckpoint(tenant, to)] : []
      return { fromSeq: fromSeq ?? from, toSeq: to, chainValid: ok, checkpoints, anomalies }
    },
  }),
]

async function signCheckpoint(tenant: Tenant, atSequence: number) {
  const { origin, root, signer } = await readTreeHead(tenant, atSequence)
  const signed = { checkpoint: `${origin}@${atSequence}`, atSequence, merkleRoot: Buffer.from(root).toString('hex') }
  return { ...signed, signature: Buffer.from(signer.sign(Buffer.from(canonicalJson(signed)))).toString('base64') }
}
