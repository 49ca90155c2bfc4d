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
import { refOfEntry } from '../../core/distillation/archive.ts'
import { currentView, type OwnWrites, type ReadView } from '../../core/entries/as-of.ts'
import {
  type ClassedEntry,
  type ListedVersion,
  type MemoryEntry,
  type Place,
  toMemoryEntry,
  withoutClass,
} from '../../core/entries/entry.ts'
import { checkTrust, classOf, defaultTrust, type Trust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { allOf, type EntryFilter } from '../../core/filter/filter.ts'
import type { FilterForm } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import { isMemoryRef, isPrivateRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import { readEphemeral } from '../runs/run-snapshot.ts'
import type { Tenant } from '../tenant.ts'
import { listMatching, parseReadFilter } from './list-matching.ts'
import { forReader, type ReadAccessOptions, readAccess, wholeAccess } from './read-access.ts'

/** What a run can see: its snapshot, plus the entries that it and its completed children wrote before this step. */
export type RunView = {
  /** The position at which the run was created. */
  readonly snapshot: number
  readonly own: readonly OwnWrites[]
  /** The lowest class that its lists and searches return without `trustMin`; without it, the tenant's floor now. */
  readonly trustMin?: Trust | undefined
}

/** Options of every read. Without any, the current memory is read. */
export type ReadOptions = {
  /** Reads memory as it was at a position (a number) or at an instant (ISO 8601 or a Date). */
  readonly asOf?: number | string | Date | undefined
  /** Reads memory as a run sees it. Cannot be combined with `asOf`. */
  readonly run?: RunView | undefined
  /** Reads what this reader may see: entries without readers, and those that name it. By default everything. */
  readonly reader?: string | undefined
}

/** Options of `list`. */
export type ListOptions = ReadOptions &
  ReadAccessOptions & {
    /** At most 500 entries per page; 100 by default. */
    readonly limit?: number | undefined
    /** Lists only the entries with this tag. */
    readonly tag?: string | undefined
    /** Lists only the entries that match: `{ category: 'goal', created: { gte: '2026-01-01T00:00:00Z' } }`. See docs/guides/filters.md. */
    readonly filter?: FilterForm | undefined
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
  /** The class of each entry that is not of the class `agent`, by id. Missing when all are. */
  readonly trust?: Readonly<Record<string, Trust>>
}

/** Reads one entry. A malformed or unknown ref or id gives null. */
export async function get(
  handle: Tenant,
  memoryRef: string,
  id: string,
  options: ReadOptions = {},
): Promise<MemoryEntry | null> {
  const tenant = forReader(handle, options.reader)
  if (isMemoryRef(memoryRef) && isEphemeralRef(memoryRef)) {
    const entries = await readEphemeral(tenant, memoryRef)
    const found = entries.find((entry) => entry.id === id)
    return found === undefined ? null : withoutClass(found)
  }
  // Files have routes and scopes of their own.
  if (isPrivateRef(memoryRef)) return null
  const version = await getVersion(tenant, memoryRef, id, options)
  return version && toMemoryEntry(version)
}

/** The version of an entry that a read sees; null when there is none. */
export async function getVersion(tenant: Tenant, memoryRef: string, id: string, options: ReadOptions) {
  checkKnownKeys('options', options, ['asOf', 'run', 'reader'])
  // A caller cannot distinguish a malformed from an unknown ref or id: both give null.
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) return null
  const view = await asOfView(tenant, options)
  const version = await tenant.storage.get({
    tenantId: tenant.id,
    memoryRef: refOfEntry(memoryRef, id),
    entryId: id,
    view,
    now: tenant.expiryNow(),
  })
  await assertStillRetained(tenant, view, options)
  return version
}

/** Lists the entries of a ref, newest first. A malformed or unknown ref gives an empty page. */
export async function list(handle: Tenant, memoryRef: string, options: ListOptions = {}): Promise<ListResult> {
  checkKnownKeys('options', options, ['limit', 'tag', 'filter', 'cursor', 'asOf', 'run', 'trustMin', 'reader'])
  const tenant = forReader(handle, options.reader)
  const limit = parseLimit(options.limit)
  if (options.tag !== undefined) checkCharacters('tag', options.tag, 'tagCharactersMax', limits.tagCharactersMax)
  const filter = parseReadFilter(tenant, options.filter)
  const cursor = options.cursor === undefined ? null : parseCursor(options.cursor)
  if (cursor !== null) await assertReadable(tenant, 'cursor', cursor.position)
  const requested = await asOfView(tenant, options)
  const access = await readAccess(tenant, options, options.run?.trustMin)
  const view = { ...requested, position: cursor === null ? requested.position : cursor.position, access }
  if (!isMemoryRef(memoryRef) || isPrivateRef(memoryRef))
    return { entries: [], position: view.position ?? (await snapshot(tenant)).position }
  if (isEphemeralRef(memoryRef)) {
    if (filter !== undefined) throw invalid('filter', 'cannot be used with ephemeral memory. Use tag')
    const { position } = await snapshot(tenant)
    const found = await readEphemeral(tenant, memoryRef, { tag: options.tag, limit })
    return { entries: found.map(withoutClass), position, ...trustOf(found) }
  }
  if (filter !== undefined) return listFiltered(tenant, memoryRef, view, { ...options, limit }, filter, cursor)
  const page = await tenant.storage.listShown({
    tenantId: tenant.id,
    memoryRef,
    tag: options.tag ?? null,
    view,
    now: tenant.expiryNow(),
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
    ...trustOf(shown),
    ...(more ? { cursor: encodeCursor({ ...last, position: page.position }) } : {}),
  }
}

async function listFiltered(
  tenant: Tenant,
  memoryRef: string,
  requested: ReadView,
  options: ListOptions & { readonly limit: number },
  filter: EntryFilter,
  before: Place | null,
): Promise<ListResult> {
  const position = requested.position ?? (await snapshot(tenant)).position
  const view = { ...requested, position }
  const tagged: EntryFilter | undefined =
    options.tag === undefined ? undefined : { kind: 'text', field: 'tag', in: [options.tag] }
  const narrowed = allOf(tagged, filter) ?? filter
  const page = await listMatching(tenant, { memoryRef, view, filter: narrowed, before, limit: options.limit })
  await assertStillRetained(tenant, view, options)
  return {
    entries: page.versions.map(toMemoryEntry),
    position,
    ...trustOf(page.versions),
    ...(page.next === null ? {} : { cursor: encodeCursor({ ...page.next, position }) }),
  }
}

function trustOf(entries: readonly (ListedVersion | ClassedEntry)[]): Pick<ListResult, 'trust'> {
  const others = entries.filter((entry) => classOf(entry) !== defaultTrust)
  if (others.length === 0) return {}
  const idOf = (entry: ListedVersion | ClassedEntry) => ('entryId' in entry ? entry.entryId : entry.id)
  return { trust: Object.fromEntries(others.map((entry) => [idOf(entry), classOf(entry)])) }
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
  const access = wholeAccess(tenant)
  if (run !== undefined) {
    checkKnownKeys('run', run, ['snapshot', 'own', 'trustMin'])
    if (run.trustMin !== undefined) checkTrust('run.trustMin', run.trustMin)
    checkCount('run.snapshot', run.snapshot, 0)
    if (!Array.isArray(run.own)) throw invalid('run.own', 'must be an array')
    for (const writes of run.own as readonly OwnWrites[]) {
      checkKnownKeys('run.own', writes, ['runId', 'beforeSequence'])
      checkIdentifier('run.own.runId', writes.runId, 'actorCharactersMax', limits.actorCharactersMax)
      checkCount('run.own.beforeSequence', writes.beforeSequence, 0)
    }
    await assertReadable(tenant, 'run.snapshot', run.snapshot, 'snapshot_expired')
    return { position: run.snapshot, own: run.own, access }
  }
  if (asOf === undefined) return { ...currentView, access }
  if (typeof asOf === 'number') {
    checkCount('asOf', asOf, 0)
    await assertReadable(tenant, 'asOf', asOf)
    return { ...currentView, position: asOf, access }
  }
  const position = await tenant.storage.positionAt(tenant.id, parseInstant('asOf', asOf))
  await assertReadable(tenant, 'asOf', position)
  return { ...currentView, position, access }
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
  const access = tenant.reader === null ? {} : { access: wholeAccess(tenant) }
  return tenant.storage.refs({ tenantId: tenant.id, now: tenant.expiryNow(), ...range, ...access })
}
