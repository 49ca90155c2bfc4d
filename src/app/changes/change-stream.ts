import { parseAuditBody, refChangesOf } from '../../core/audit/audit.ts'
import { checkCount, checkKnownKeys, toInstant } from '../../core/check.ts'
import type { AuditRow } from '../../core/commit/batch.ts'
import { ColophonError } from '../../core/errors.ts'
import { eventsOfTick, type HeartbeatEvent } from '../../core/heartbeats/heartbeat.ts'
import { limits } from '../../core/limits.ts'
import { forReader, mayRead } from '../entries/read-access.ts'
import { createTimeSlice } from '../event-loop.ts'
import { findHeartbeat } from '../heartbeats/heartbeat-record.ts'
import type { Tenant } from '../tenant.ts'

/** One change of readable memory: identifiers only. */
export type ChangeRecord = {
  readonly position: number
  readonly at: string
  readonly kind: string
  readonly memoryRef: string
  readonly entryIds: readonly string[]
  readonly reason?: string
}

/** From where a change stream starts, and when it ends. */
export type ChangeStreamOptions = {
  /** Gives changes after this position; by default changes from now on. */
  readonly after?: number
  /** Gives only changes of entries that this reader may see. */
  readonly reader?: string
  readonly signal?: AbortSignal
}

/**
 * The change stream of a tenant: every change of memory once, in order of position, until the signal aborts.
 *
 * @example
 * for await (const { kind, memoryRef, entryIds } of memory.changes({ after: 41 })) console.log(kind, memoryRef, entryIds)
 */
export async function* changes(handle: Tenant, options: ChangeStreamOptions = {}): AsyncGenerator<ChangeRecord> {
  checkKnownKeys('options', options, ['after', 'signal', 'reader'])
  const tenant = forReader(handle, options.reader)
  if (options.after !== undefined) checkCount('after', options.after, 0)
  const clock = await tenant.storage.clock(tenant.id)
  const after = options.after ?? clock?.position ?? 0
  const historyFrom = clock?.historyFrom ?? 0
  if (after < historyFrom) {
    throw new ColophonError('history_expired', 'Changes after this position are no longer stored.', {
      details: { position: after, historyFrom },
    })
  }
  for await (const row of followAuditRows(tenant, after, options.signal))
    yield* await readableChanges(tenant, memoryChangesOf(row))
}

/**
 * The changes without entries that the reader cannot see, by the rights of today. A change of none but such entries is left out. The
 * readers of an erased entry are not known any more.
 */
export async function readableChanges(
  tenant: Tenant,
  changes: readonly ChangeRecord[],
): Promise<readonly ChangeRecord[]> {
  if (tenant.reader === null || changes.length === 0) return changes
  const ids = [...new Set(changes.flatMap(({ entryIds }) => entryIds))]
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const readable = new Set(entries.flatMap(({ entryId, readers }) => (mayRead(tenant, readers) ? [entryId] : [])))
  return changes.flatMap((change) => {
    const entryIds = change.entryIds.filter((id) => readable.has(id))
    return entryIds.length === 0 ? [] : [{ ...change, entryIds }]
  })
}

/** One event of a tick of a heartbeat, beside the changes of memory. */
export type HeartbeatChange = { readonly position: number; readonly at: string } & HeartbeatEvent

/** The events of the tick that an audit row records, if it records one. A reader gets those of its own heartbeats. */
export async function heartbeatChangesOf(tenant: Tenant, row: AuditRow): Promise<readonly HeartbeatChange[]> {
  const { heartbeat: note } = parseAuditBody(row)
  if (note === undefined) return []
  if (tenant.reader !== null) {
    const found = await findHeartbeat(tenant, note.heartbeatId)
    if (found?.heartbeat.reader !== tenant.reader) return []
  }
  return eventsOfTick(note).map((event) => ({ position: row.position, at: toInstant(row.at), ...event }))
}

/** A range of positions whose changes the stream cannot give. */
export type ChangeStreamGap = {
  readonly from: number
  readonly to: number
  readonly reason: 'history_expired' | 'position_not_reached' | 'forgotten'
}

/** Rows after which copies that clients keep may contain forgotten texts: the fence hides all that is known at once, the check ends what was found later. */
const forgettingKinds = new Set(['forget.fenced', 'forget.check'])

/** A forget names nothing that it erases. So its change is a gap: clients read again what they keep. */
export function gapOfForget(row: AuditRow): ChangeStreamGap | null {
  if (!forgettingKinds.has(parseAuditBody(row).kind)) return null
  return { from: row.position - 1, to: row.position, reason: 'forgotten' }
}

/** The position from which a change stream can resume, and the gaps before it. */
export async function resumeChanges(
  tenant: Tenant,
  wanted: number | undefined,
): Promise<{ readonly from: number; readonly gaps: readonly ChangeStreamGap[] }> {
  const clock = await tenant.storage.clock(tenant.id)
  const { position: reached, historyFrom } = clock ?? { position: 0, historyFrom: 0 }
  const after = wanted ?? reached
  const gaps: ChangeStreamGap[] = []
  // The client knows later positions than this database has, as after a restore of a backup.
  if (after > reached) gaps.push({ from: after, to: reached, reason: 'position_not_reached' })
  // Older changes are no longer stored: the client must read the current memory.
  if (after < historyFrom) gaps.push({ from: after, to: historyFrom, reason: 'history_expired' })
  return { from: Math.max(Math.min(after, reached), historyFrom), gaps }
}

/** Audit rows after a position, including new ones, until the signal aborts. */
export async function* followAuditRows(
  tenant: Tenant,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRow> {
  for (let position = after; !signal?.aborted; ) {
    const reached = (await tenant.storage.clock(tenant.id))?.position ?? 0
    for await (const row of auditRowsBetween(tenant, position, reached)) {
      if (signal?.aborted) return
      yield row
    }
    position = Math.max(position, reached)
    await tenant.engine.watch.wait(tenant.id, position, signal)
  }
}

/** Stored audit rows after one position, up to and including another. */
export async function* auditRowsBetween(tenant: Tenant, after: number, to: number): AsyncGenerator<AuditRow> {
  const slice = createTimeSlice()
  for (let position = after; position < to; ) {
    const rows = await tenant.storage.audit({
      tenantId: tenant.id,
      from: position + 1,
      to,
      limit: limits.auditPageRecordsMax,
    })
    for (const row of rows) {
      await slice()
      yield row
    }
    position = rows.at(-1)?.position ?? to
  }
}

/** Kinds that have another name in the stream than in the audit. */
const streamKinds: Readonly<Record<string, string>> = {
  'memory.compacted': 'compacted',
  'memory.consolidated': 'consolidated',
}

/** The changes of memory in an audit row; none for a change of settings, keys or other records. */
export function memoryChangesOf(row: AuditRow): ChangeRecord[] {
  const { kind } = parseAuditBody(row)
  const common = { position: row.position, at: toInstant(row.at), kind: streamKinds[kind] ?? kind }
  return refChangesOf(row).map((change) => ({ ...common, ...change }))
}
