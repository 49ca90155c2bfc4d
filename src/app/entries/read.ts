import { parseAuditBody } from '../../core/audit/audit.ts'
import {
  checkCharacters,
  checkCount,
  checkIdentifier,
  checkKnownKeys,
  parseInstant,
  toInstant,
} from '../../core/check.ts'
import type { Clock } from '../../core/commit/batch.ts'
import { encodeCursor, parseCursor } from '../../core/cursor.ts'
import { fullAccess } from '../../core/entries/access.ts'
import { currentView, isExpired, type OwnWrites, type ReadView } from '../../core/entries/as-of.ts'
import { type MemoryEntry, type Origin, toMemoryEntry } from '../../core/entries/entry.ts'
import { isVersionRecorded } from '../../core/entries/entry-audit.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { isMemoryRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import { type Derivation, derivationOf } from '../provenance/lineage.ts'
import { type StoryStep, storyOf } from '../provenance/story.ts'
import { readEphemeral } from '../runs/run-snapshot.ts'
import type { Tenant } from '../tenant.ts'

/** What a run can see: its snapshot, plus the entries that it and its completed children wrote before this step. */
export type RunView = {
  /** The position at which the run was created. */
  readonly snapshot: number
  readonly own: readonly OwnWrites[]
}

/** Options of every read. Without any, the current memory is read. */
export type ReadOptions = {
  /** Reads memory as it was at a position (a number) or at an instant (ISO 8601 or a Date). */
  readonly asOf?: number | string | Date | undefined
  /** Reads memory as a run sees it. Cannot be combined with `asOf`. */
  readonly run?: RunView | undefined
}

/** Options of `list`. */
export type ListOptions = ReadOptions & {
  /** At most 500 entries per page; 100 by default. */
  readonly limit?: number | undefined
  /** Lists only the entries with this tag. */
  readonly tag?: string | undefined
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined
}

/** One page of a list. */
export type ListResult = {
  /** Newest first. */
  readonly entries: readonly MemoryEntry[]
  /** Pass it to the next call. Missing on the last page. */
  readonly cursor?: string
  /** The position that was read. All pages of one list have the same. */
  readonly position: number
}

/** Reads one entry. A malformed or unknown ref or id gives null. */
export async function get(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  options: ReadOptions = {},
): Promise<MemoryEntry | null> {
  if (isMemoryRef(memoryRef) && isEphemeralRef(memoryRef)) {
    const entries = await readEphemeral(tenant, memoryRef)
    return entries.find((entry) => entry.id === id) ?? null
  }
  const version = await getVersion(tenant, memoryRef, id, options)
  return version && toMemoryEntry(version)
}

async function getVersion(tenant: Tenant, memoryRef: string, id: string, options: ReadOptions) {
  checkKnownKeys('options', options, ['asOf', 'run'])
  // A caller cannot distinguish a malformed from an unknown ref or id: both give null.
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) return null
  const view = await asOfView(tenant, options)
  const version = await tenant.storage.get({
    tenantId: tenant.id,
    memoryRef,
    entryId: id,
    view,
    now: tenant.now(),
  })
  await assertStillRetained(tenant, view, options)
  return version
}

/** Lists the entries of a ref, newest first. A malformed or unknown ref gives an empty page. */
export async function list(tenant: Tenant, memoryRef: string, options: ListOptions = {}): Promise<ListResult> {
  checkKnownKeys('options', options, ['limit', 'tag', 'cursor', 'asOf', 'run'])
  const limit = parseLimit(options.limit)
  if (options.tag !== undefined) checkCharacters('tag', options.tag, 'tagCharactersMax', limits.tagCharactersMax)
  const cursor = options.cursor === undefined ? null : parseCursor(options.cursor)
  if (cursor !== null) await assertReadable(tenant, 'cursor', cursor.position)
  const requested = await asOfView(tenant, options)
  const view = cursor === null ? requested : { ...requested, position: cursor.position }
  if (!isMemoryRef(memoryRef)) return { entries: [], position: view.position ?? (await snapshot(tenant)).position }
  if (isEphemeralRef(memoryRef)) {
    const { position } = await snapshot(tenant)
    return { entries: await readEphemeral(tenant, memoryRef, { tag: options.tag, limit }), position }
  }
  const page = await tenant.storage.list({
    tenantId: tenant.id,
    memoryRef,
    tag: options.tag ?? null,
    view,
    now: tenant.now(),
    before: cursor,
    limit: limit + 1,
  })
  await assertStillRetained(tenant, view, options)
  const shown = page.versions.slice(0, limit)
  const last = shown.at(-1)
  const more = page.versions.length > limit && last !== undefined
  return {
    entries: shown.map(toMemoryEntry),
    position: page.position,
    ...(more ? { cursor: encodeCursor({ ...last, position: page.position }) } : {}),
  }
}

/** The provenance of an entry: where it comes from, what happened to it, and the audit record that proves it. */
export type EntryColophon = {
  readonly id: string
  readonly memoryRef: string
  readonly version: number
  readonly createdAt: string
  readonly origin: Origin
  readonly subject: string | null
  /** The actor that started the run that wrote the entry. */
  readonly startedBy?: string
  /** The claim that the entry belongs to; null when it belongs to none. */
  readonly claimId: string | null
  /** The compaction that made the entry, and its source entries. */
  readonly derivedFrom?: Derivation
  /** Every step of its history, in order. */
  readonly story: readonly StoryStep[]
  /** The audit record of this version: actor, instant and hash. Null when no record matches the stored row. */
  readonly audit: {
    readonly position: number
    readonly at: string
    readonly actor: string
    readonly hash: string
  } | null
}

/** Reads the provenance of an entry; null when there is no such entry. Entries that were superseded, archived or compacted have one too. */
export async function colophon(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  options: ReadOptions = {},
): Promise<EntryColophon | null> {
  const version =
    (await getVersion(tenant, memoryRef, id, options)) ?? (await lastVersion(tenant, memoryRef, id, options))
  if (version === null) return null
  const position = version.recordedPosition
  const rowAt = (at: number) => tenant.storage.audit({ tenantId: tenant.id, from: at, to: at, limit: 1 })
  const [[row], [digested]] = await Promise.all([rowAt(position), rowAt(version.digestPosition)])
  const isRecorded = row !== undefined && isVersionRecorded(digested, version)
  const derivedFrom = await derivationOf(tenant, version.origin)
  return {
    id: version.entryId,
    memoryRef: version.memoryRef,
    version: version.version,
    createdAt: toInstant(version.createdAt),
    origin: version.origin,
    subject: version.subject,
    ...(await starterOf(tenant, version.origin)),
    claimId: version.classification?.claimId ?? null,
    ...(derivedFrom === null ? {} : { derivedFrom }),
    story: await storyOf(tenant, version.entryId),
    audit: isRecorded ? { position, at: toInstant(row.at), actor: parseAuditBody(row).actor, hash: row.hash } : null,
  }
}

/** The last version of an entry that was superseded, archived or compacted. Null for reads as of a position or of a run. */
async function lastVersion(tenant: Tenant, memoryRef: string, id: string, { asOf, run }: ReadOptions) {
  if (asOf !== undefined || run !== undefined || !isEntryId(id)) return null
  const [version] = await tenant.storage.provenance.newestVersions(tenant.id, [id])
  const isKept = ['superseded', 'archived', 'compacted'].includes(version?.endedReason ?? '')
  const isLiving = version !== undefined && !isExpired(version, tenant.now())
  return isLiving && version.memoryRef === memoryRef && isKept ? version : null
}

async function starterOf(tenant: Tenant, origin: Origin): Promise<{ startedBy?: string }> {
  if (origin.kind !== 'run' && origin.kind !== 'session') return {}
  const run = await tenant.storage.runs.get(tenant.id, origin.runId)
  return run === null ? {} : { startedBy: run.facts.actor }
}

/** A position of a tenant, and the instant at which it was read. */
export type Snapshot = { readonly position: number; readonly at: string }

/** Reads the current position of a tenant. */
export async function snapshot(tenant: Tenant): Promise<Snapshot> {
  const clock = await tenant.storage.clock(tenant.id)
  // Never earlier than the last write that the snapshot shows, even when the clock of this machine is behind.
  return { position: clock?.position ?? 0, at: toInstant(Math.max(tenant.now(), clock?.lastCreatedAt ?? 0)) }
}

/** Validates the read options and resolves them to a view: a position, and the own writes of a run. */
export async function asOfView(tenant: Tenant, { asOf, run }: ReadOptions): Promise<ReadView> {
  if (asOf !== undefined && run !== undefined)
    throw invalid('asOf', 'cannot be combined with run, which has its own snapshot')
  if (run !== undefined) {
    checkKnownKeys('run', run, ['snapshot', 'own'])
    checkCount('run.snapshot', run.snapshot, 0)
    if (!Array.isArray(run.own)) throw invalid('run.own', 'must be an array')
    for (const writes of run.own as readonly OwnWrites[]) {
      checkKnownKeys('run.own', writes, ['runId', 'beforeSequence'])
      checkIdentifier('run.own.runId', writes.runId, 'actorCharactersMax', limits.actorCharactersMax)
      checkCount('run.own.beforeSequence', writes.beforeSequence, 0)
    }
    await assertReadable(tenant, 'run.snapshot', run.snapshot, 'snapshot_expired')
    return { position: run.snapshot, own: run.own, access: fullAccess }
  }
  if (asOf === undefined) return currentView
  if (typeof asOf === 'number') {
    checkCount('asOf', asOf, 0)
    await assertReadable(tenant, 'asOf', asOf)
    return { ...currentView, position: asOf }
  }
  const position = await tenant.storage.positionAt(tenant.id, parseInstant('asOf', asOf))
  await assertReadable(tenant, 'asOf', position)
  return { ...currentView, position }
}

type ExpiryCode = 'history_expired' | 'snapshot_expired'

/**
 * Refuses positions that cannot be read. The result of a future position could change later. A position before the beginning of
 * history is incomplete.
 */
async function assertReadable(
  tenant: Tenant,
  field: string,
  position: number,
  code: ExpiryCode = 'history_expired',
): Promise<void> {
  if (position === 0) return
  const clock = await tenant.storage.clock(tenant.id)
  if (position > (clock?.position ?? 0)) throw invalid(field, 'must be a position that the tenant has reached')
  assertRetained(clock, position, code)
}

/**
 * Checks again after the read. Pruning moves the beginning of history before it deletes anything. So if the position is still
 * retained now, the read was complete.
 */
async function assertStillRetained(tenant: Tenant, { position }: ReadView, { run }: ReadOptions): Promise<void> {
  if (position === null || position === 0) return
  const code = run === undefined ? 'history_expired' : 'snapshot_expired'
  assertRetained(await tenant.storage.clock(tenant.id), position, code)
}

function assertRetained(clock: Clock | null, position: number, code: ExpiryCode): void {
  const historyFrom = clock?.historyFrom ?? 0
  if (position >= historyFrom) return
  throw new ColophonError(code, 'Memory as of this position is no longer retained.', {
    details: { position, historyFrom },
  })
}

function parseLimit(limit: unknown): number {
  if (limit === undefined) return limits.pageEntriesDefault
  checkCount('limit', limit, 0)
  return limit === 0 ? limits.pageEntriesDefault : Math.min(limit, limits.pageEntriesMax)
}

/** Whether a value can be the id of an entry. */
export function isEntryId(id: unknown): id is string {
  return (
    typeof id === 'string' &&
    id.length > 0 &&
    id.length <= limits.entryIdCharactersMax &&
    !id.includes('\u0000') &&
    id.isWellFormed()
  )
}

/** Lists the refs that have live entries, ordered by name. */
export function listRefs(tenant: Tenant, range: { readonly after: string | null; readonly limit: number }) {
  return tenant.storage.refs({ tenantId: tenant.id, now: tenant.now(), ...range })
}
