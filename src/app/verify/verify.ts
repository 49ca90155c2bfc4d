import {
  type AuditHead,
  ChainChecker,
  type ChainFault,
  checkTail,
  genesisHash,
  parseAuditBody,
} from '../../core/audit/audit.ts'
import type { AuditFault, AuditVerdict } from '../../core/audit/verify/verdict.ts'
import { checkCount, checkKnownKeys } from '../../core/check.ts'
import type { AuditRow } from '../../core/commit/batch.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Engine } from '../engine.ts'
import { createTimeSlice } from '../event-loop.ts'
import { checkCheckpoint } from '../log/check-checkpoint.ts'
import type { Tenant } from '../tenant.ts'
import { verifyContents } from './verify-contents.ts'

/** Options of `verify`. Without any, the whole chain is verified. */
export type VerifyOptions = {
  /** The first position to verify; 1 by default. */
  readonly from?: number
  /** The last position to verify; the newest by default. */
  readonly to?: number
  /** A head that was exported earlier: the chain must still contain it. */
  readonly head?: AuditHead
  /** A signed checkpoint that was kept elsewhere: the log must still begin with its records. */
  readonly checkpoint?: string
  /** Rebuilds the expected state from the whole chain and compares every stored row with it. `from` and `to` are ignored then. */
  readonly contents?: boolean
}

/** The newest record of the chain. Store it outside of the database and pass it to `verify` later. */
export async function auditHead(tenant: Tenant): Promise<AuditHead> {
  const clock = await tenant.storage.clock(tenant.id)
  return { tenant: tenant.id, position: clock?.position ?? 0, hash: clock?.lastHash ?? genesisHash }
}

/** One record of the audit chain. */
export type AuditRecord = {
  readonly position: number
  readonly at: number
  readonly kind: string
  readonly actor: string
  readonly hash: string
  /** What else the record says: identifiers and digests. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The audit records after a position, oldest first, at most `limit`. Of long records there are fewer; the last page is empty. */
export async function listAudit(
  tenant: Tenant,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly AuditRecord[]> {
  const range = { from: after + 1, to: Number.MAX_SAFE_INTEGER, limit }
  const rows = await tenant.storage.audit({ tenantId: tenant.id, ...range })
  return rows.map((row) => {
    const { kind, actor, ...body } = parseAuditBody(row)
    return { position: row.position, at: row.at, kind, actor, hash: row.hash, body }
  })
}

/**
 * Verifies the hash chain: finds the first record that was edited, removed, inserted, reordered or truncated. With `contents`, also
 * finds every stored row that does not match its record.
 */
export async function verify(tenant: Tenant, options: VerifyOptions = {}): Promise<AuditVerdict> {
  const verdict = await verifyLog(tenant, options)
  tenant.host.auditVerifications.add(tenant.id, outcomeOf(verdict, options), tenant.system.now())
  return verdict
}

function outcomeOf({ ok, fault }: AuditVerdict, { contents, from = 1, to }: VerifyOptions) {
  if (!ok) return fault?.problem === 'head' ? 'mismatch' : 'fault'
  return contents === true || (from === 1 && to === undefined) ? 'valid' : 'part'
}

async function verifyLog(tenant: Tenant, options: VerifyOptions): Promise<AuditVerdict> {
  checkKnownKeys('options', options, ['from', 'to', 'head', 'checkpoint', 'contents'])
  const clock = await tenant.storage.clock(tenant.id)
  const end = clock?.position ?? 0
  const { from = 1, to = end, head } = options
  checkCount('from', from, 1)
  checkCount('to', to, 0)
  if (to > end) throw invalid('to', 'must be a position that the tenant has reached')
  if (from > to + 1) throw invalid('from', 'must not be after to')
  const verdict = (checked: number, fault: ChainFault | null): AuditVerdict =>
    fault ? { ok: false, from, to, checked, fault } : { ok: true, from, to, checked }
  if (head !== undefined && !(await passesThrough(tenant, head))) {
    return verdict(0, { position: head.position, problem: 'head' })
  }
  const split = options.checkpoint === undefined ? null : await checkCheckpoint(tenant, options.checkpoint)
  if (split !== null) return verdict(0, split)
  if (options.contents) return verifyContents(tenant)

  const prev = await hashAt(tenant, from - 1)
  if (prev === null) return verdict(0, { position: from - 1, problem: 'missing' })
  const checker = new ChainChecker(tenant.id, from, prev)
  for await (const row of auditRows(tenant, from, to)) {
    const fault = checker.check(row)
    if (fault) return { ...verdict(checker.checked, fault), lastHash: checker.lastHash }
  }
  const reached = from + checker.checked - 1
  if (reached < to) return verdict(checker.checked, { position: reached + 1, problem: 'missing' })
  if (to < end) return verdict(checker.checked, null)
  const isTail = clock !== null && to >= from
  const fault = isTail ? checkTail(clock, reached, checker.lastHash) : null
  return verdict(checker.checked, fault ?? (await beyondTheEnd(tenant, end)))
}

/** A record after the end of the chain is a fault, unless a commit added it since the end was read. */
async function beyondTheEnd(tenant: Tenant, end: number): Promise<ChainFault | null> {
  const [row] = await tenant.storage.audit({
    tenantId: tenant.id,
    from: end + 1,
    to: Number.MAX_SAFE_INTEGER,
    limit: 1,
  })
  if (row === undefined) return null
  const clock = await tenant.storage.clock(tenant.id)
  return (clock?.position ?? 0) >= row.position ? null : { position: row.position, problem: 'tail' }
}

/** Whether the chain still has the record that the head names. */
async function passesThrough(tenant: Tenant, head: AuditHead): Promise<boolean> {
  checkKnownKeys('head', head, ['tenant', 'position', 'hash'])
  checkCount('head.position', head.position, 0)
  return head.tenant === tenant.id && (await hashAt(tenant, head.position)) === head.hash
}

async function hashAt(tenant: Tenant, position: number): Promise<string | null> {
  if (position === 0) return genesisHash
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  return row?.hash ?? null
}

/** A page is read without a pause, so it is small; between two records, others may run. */
async function* auditRows(tenant: Tenant, from: number, to: number): AsyncGenerator<AuditRow> {
  const limit = limits.verifyPageRowsMax
  const yieldToEventLoop = createTimeSlice()
  for (let next = from; next <= to; ) {
    const rows = await tenant.storage.audit({ tenantId: tenant.id, from: next, to, limit })
    for (const row of rows) {
      await yieldToEventLoop()
      yield row
    }
    const last = rows.at(-1)
    if (!last) return
    next = last.position + 1
  }
}

/** Verifies audit and contents of every tenant. The first fault is thrown as an error with tenant and position. */
export async function verifyTenants(
  engine: Engine,
): Promise<{ readonly tenantId: string; readonly position: number }[]> {
  const verified: { tenantId: string; position: number }[] = []
  for (let after: string | null = null; ; ) {
    const page = await engine.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of page) {
      const verdict = await verify(engine.tenant(tenantId), { contents: true })
      if (!verdict.ok) throw brokenAudit(tenantId, verdict.fault ?? { position: 0, problem: 'missing' })
      verified.push({ tenantId, position: verdict.to })
    }
    after = page.at(-1)?.tenantId ?? null
    if (after === null) return verified
  }
}

function brokenAudit(tenant: string, { position, problem, what, id }: AuditFault): ColophonError {
  const named = [what, what === undefined ? undefined : id, problem].filter((part) => part !== undefined).join(' ')
  const message = `What is stored does not match the audit (${named} at position ${position}).`
  return new ColophonError('storage_corrupt', message, { details: { tenant, position, problem } })
}
