import { parseBody } from '../../core/audit/audit.ts'
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
import { type MemoryEntry, type Origin, toMemoryEntry } from '../../core/entries/entry.ts'
import { recordsVersion } from '../../core/entries/recorded-as.ts'
import { currentView, isExpired, type OwnWrites, type View } from '../../core/entries/view.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { isMemoryRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import { type StoryStep, storyOf } from '../provenance/explain.ts'
import { type Derivation, derivationOf } from '../provenance/lineage.ts'
import { readEphemeral } from '../runs/run-view.ts'
import type { Tenant } from '../tenant.ts'

/** Where a run stands: it reads its snapshot, plus what it (and its completed children) wrote before this step. */
export type RunView = { readonly snapshot: number; readonly own: readonly OwnWrites[] }

export type ReadOptions = {
  /** A position, or an instant: memory as it was then. */
  readonly asOf?: number | string | Date | undefined
  readonly run?: RunView | undefined
}

export type ListOptions = ReadOptions & {
  readonly limit?: number | undefined
  readonly tag?: string | undefined
  readonly cursor?: string | undefined
}

export type ListResult = {
  readonly entries: readonly MemoryEntry[]
  readonly cursor?: string
  readonly position: number
}

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
  // Malformed and unknown look the same from outside: nothing there.
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) return null
  const view = await viewOf(tenant, options)
  const version = await tenant.storage.get({
    tenantId: tenant.id,
    memoryRef,
    entryId: id,
    view,
    now: tenant.now(),
  })
  await checkStillKept(tenant, view, options)
  return version
}

export async function list(tenant: Tenant, memoryRef: string, options: ListOptions = {}): Promise<ListResult> {
  checkKnownKeys('options', options, ['limit', 'tag', 'cursor', 'asOf', 'run'])
  const limit = parseLimit(options.limit)
  if (options.tag !== undefined) checkCharacters('tag', options.tag, 'tagCharactersMax', limits.tagCharactersMax)
  const cursor = options.cursor === undefined ? null : parseCursor(options.cursor)
  if (cursor !== null) await checkReached(tenant, 'cursor', cursor.position)
  const asked = await viewOf(tenant, options)
  const view = cursor === null ? asked : { ...asked, position: cursor.position }
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
  await checkStillKept(tenant, view, options)
  const shown = page.versions.slice(0, limit)
  const last = shown.at(-1)
  const more = page.versions.length > limit && last !== undefined
  return {
    entries: shown.map(toMemoryEntry),
    position: page.position,
    ...(more ? { cursor: encodeCursor({ ...last, position: page.position }) } : {}),
  }
}

/** Where an entry comes from, as far as the engine knows. */
export type EntryColophon = {
  readonly id: string
  readonly memoryRef: string
  readonly version: number
  readonly createdAt: string
  readonly origin: Origin
  readonly subject: string | null
  /** Who started the run that wrote it. */
  readonly startedBy?: string
  /** The claim it speaks to, when sources may disagree about it. */
  readonly claimId: string | null
  /** What it was made of, when it came out of a compaction. */
  readonly derivedFrom?: Derivation
  /** What happened to it, in order. */
  readonly story: readonly StoryStep[]
  /** The record of this version in the audit: who wrote it, when, and the hash that proves it. Null when none explains what is stored. */
  readonly audit: {
    readonly position: number
    readonly at: string
    readonly actor: string
    readonly hash: string
  } | null
}

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
  const isRecorded = row !== undefined && recordsVersion(digested, version)
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
    audit: isRecorded ? { position, at: toInstant(row.at), actor: parseBody(row).actor, hash: row.hash } : null,
  }
}

/** What an entry last was that is over: where it came from is told all the same, unless the question is about a moment. */
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

export type Snapshot = { readonly position: number; readonly at: string }

export async function snapshot(tenant: Tenant): Promise<Snapshot> {
  const clock = await tenant.storage.clock(tenant.id)
  // Not before the last write it shows, even when this machine's clock is behind.
  return { position: clock?.position ?? 0, at: toInstant(Math.max(tenant.now(), clock?.lastCreatedAt ?? 0)) }
}

export async function viewOf(tenant: Tenant, { asOf, run }: ReadOptions): Promise<View> {
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
    await checkReached(tenant, 'run.snapshot', run.snapshot, 'snapshot_expired')
    return { position: run.snapshot, own: run.own }
  }
  if (asOf === undefined) return currentView
  if (typeof asOf === 'number') {
    checkCount('asOf', asOf, 0)
    await checkReached(tenant, 'asOf', asOf)
    return { position: asOf, own: [] }
  }
  const position = await tenant.storage.positionAt(tenant.id, parseInstant('asOf', asOf))
  await checkReached(tenant, 'asOf', position)
  return { position, own: [] }
}

type ExpiryCode = 'history_expired' | 'snapshot_expired'

/**
 * A position in the future would be answered differently later: that is not what "as of" means. One from before history
 * begins could only be answered in part.
 */
async function checkReached(
  tenant: Tenant,
  field: string,
  position: number,
  code: ExpiryCode = 'history_expired',
): Promise<void> {
  if (position === 0) return
  const clock = await tenant.storage.clock(tenant.id)
  if (position > (clock?.position ?? 0)) throw invalid(field, 'must be a position that the tenant has reached')
  checkKept(clock, position, code)
}

/**
 * Looks again after the read: history is said to begin later before anything is deleted, so if it still reaches back now,
 * nothing was missing then.
 */
async function checkStillKept(tenant: Tenant, { position }: View, { run }: ReadOptions): Promise<void> {
  if (position === null || position === 0) return
  checkKept(await tenant.storage.clock(tenant.id), position, run === undefined ? 'history_expired' : 'snapshot_expired')
}

function checkKept(clock: Clock | null, position: number, code: ExpiryCode): void {
  const historyFrom = clock?.historyFrom ?? 0
  if (position >= historyFrom) return
  throw new ColophonError(code, 'Memory as it was then is no longer kept.', { details: { position, historyFrom } })
}

function parseLimit(limit: unknown): number {
  if (limit === undefined) return limits.pageEntriesDefault
  checkCount('limit', limit, 0)
  return limit === 0 ? limits.pageEntriesDefault : Math.min(limit, limits.pageEntriesMax)
}

export function isEntryId(id: unknown): id is string {
  return (
    typeof id === 'string' &&
    id.length > 0 &&
    id.length <= limits.entryIdCharactersMax &&
    !id.includes('\u0000') &&
    id.isWellFormed()
  )
}

/** The refs that hold live entries, in order of their names. */
export function listRefs(tenant: Tenant, range: { readonly after: string | null; readonly limit: number }) {
  return tenant.storage.refs({ tenantId: tenant.id, now: tenant.now(), ...range })
}
