import { type AuditBody, parseBody } from '../../core/audit.ts'
import { toInstant } from '../../core/check.ts'
import type { Tenant } from '../tenant.ts'

/** What the audit says about a position: when, who, and what was taken out. */
export type AuditedMoment = Pick<AuditBody, 'actor' | 'imported'> & {
  readonly kind: string
  readonly at: string
  readonly hash: string
  readonly redactions: NonNullable<AuditBody['redactions']>
}

export async function recordAt(tenant: Tenant, position: number): Promise<AuditedMoment> {
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  if (!row) return { kind: 'unknown', at: toInstant(0), actor: 'unknown', hash: '', redactions: [] }
  const { kind, actor, imported, redactions = [] } = parseBody(row)
  return { kind, at: toInstant(row.at), actor, hash: row.hash, redactions, ...(imported && { imported }) }
}
