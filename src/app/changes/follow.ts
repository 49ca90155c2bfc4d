import { changesOf, parseBody } from '../../core/audit/audit.ts'
import { checkCount, checkKnownKeys, toInstant } from '../../core/check.ts'
import type { AuditRow } from '../../core/commit/batch.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'

/** One change of readable memory: identifiers only. */
export type MemoryChange = {
  readonly position: number
  readonly at: string
  readonly kind: string
  readonly memoryRef: string
  readonly entryIds: readonly string[]
  readonly reason?: string
}

export type ChangesOptions = {
  /** Start behind this position; without it, with what happens from now on. */
  readonly after?: number
  readonly signal?: AbortSignal
}

/** The tenant's changes in order of position, none left out and none twice, as long as the caller wants them. */
export async function* changes(tenant: Tenant, options: ChangesOptions = {}): AsyncGenerator<MemoryChange> {
  checkKnownKeys('options', options, ['after', 'signal'])
  if (options.after !== undefined) checkCount('after', options.after, 0)
  const clock = await tenant.storage.clock(tenant.id)
  const after = options.after ?? clock?.position ?? 0
  const historyFrom = clock?.historyFrom ?? 0
  if (after < historyFrom) {
    throw new ColophonError('history_expired', 'Changes behind this position are no longer kept.', {
      details: { position: after, historyFrom },
    })
  }
  for await (const row of followRows(tenant, after, options.signal)) yield* memoryChangesOf(row)
}

/** Changes between two positions that a stream cannot give. */
export type ChangeGap = {
  readonly from: number
  readonly to: number
  readonly reason: 'history_expired' | 'position_not_reached'
}

/** Where a stream of changes that is wanted from a position on can start, and what it leaves out. */
export async function resumeChanges(
  tenant: Tenant,
  wanted: number | undefined,
): Promise<{ readonly from: number; readonly gaps: readonly ChangeGap[] }> {
  const clock = await tenant.storage.clock(tenant.id)
  const { position: reached, historyFrom } = clock ?? { position: 0, historyFrom: 0 }
  const after = wanted ?? reached
  const gaps: ChangeGap[] = []
  // The client has seen positions that this database does not have, as after restoring a backup.
  if (after > reached) gaps.push({ from: after, to: reached, reason: 'position_not_reached' })
  // What happened before is no longer kept: the client has to read memory as it is.
  if (after < historyFrom) gaps.push({ from: after, to: historyFrom, reason: 'history_expired' })
  return { from: Math.max(Math.min(after, reached), historyFrom), gaps }
}

/** Every audit row behind a position, those to come as well, until the signal aborts. */
export async function* followRows(
  tenant: Tenant,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRow> {
  for (let position = after; !signal?.aborted; ) {
    const reached = (await tenant.storage.clock(tenant.id))?.position ?? 0
    for await (const row of rowsUntil(tenant, position, reached)) {
      if (signal?.aborted) return
      yield row
    }
    position = Math.max(position, reached)
    await tenant.engine.watch.wait(tenant.id, position, signal)
  }
}

/** The audit rows behind one position and up to another, both of which are past. */
export async function* rowsUntil(tenant: Tenant, after: number, to: number): AsyncGenerator<AuditRow> {
  for (let position = after; position < to; ) {
    const rows = await tenant.storage.audit({
      tenantId: tenant.id,
      from: position + 1,
      to,
      limit: limits.auditPageRecordsMax,
    })
    yield* rows
    position = rows.at(-1)?.position ?? to
  }
}

/** What the stream calls a change, where that is another word than the audit's. */
const toldKinds: Readonly<Record<string, string>> = { 'memory.compacted': 'compacted' }

/** What a row says about readable memory; nothing for a change of administration. */
export function memoryChangesOf(row: AuditRow): MemoryChange[] {
  const { kind } = parseBody(row)
  const told = { position: row.position, at: toInstant(row.at), kind: toldKinds[kind] ?? kind }
  return changesOf(row).map((change) => ({ ...told, ...change }))
}
