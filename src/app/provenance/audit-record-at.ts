import { parseAuditBody } from '../../core/audit/audit.ts'
import type { AuditBody } from '../../core/audit/audit-notes.ts'
import { toInstant } from '../../core/check.ts'
import type { AuditRow } from '../../core/commit/batch.ts'
import type { Tenant } from '../tenant.ts'

/** The audit record of a position: instant, actor, hash, and the redactions of its commit. */
export type AuditRecordView = Pick<AuditBody, 'actor' | 'imported'> & {
  readonly kind: string
  readonly at: string
  readonly hash: string
  readonly redactions: NonNullable<AuditBody['redactions']>
}

export async function auditRowAt(tenant: Tenant, position: number): Promise<AuditRow | undefined> {
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  return row
}

/** Parses an audit row. A missing row gives a record with the actor `unknown`. */
export function toAuditRecordView(row: AuditRow | undefined): AuditRecordView {
  if (!row) return { kind: 'unknown', at: toInstant(0), actor: 'unknown', hash: '', redactions: [] }
  const { kind, actor, imported, redactions = [] } = parseAuditBody(row)
  return { kind, at: toInstant(row.at), actor, hash: row.hash, redactions, ...(imported && { imported }) }
}

export async function auditRecordAt(tenant: Tenant, position: number): Promise<AuditRecordView> {
  return toAuditRecordView(await auditRowAt(tenant, position))
}
