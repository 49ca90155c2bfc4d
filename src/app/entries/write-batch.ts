import { sha256 } from '../../core/audit/digest.ts'
import { canonicalJson } from '../../core/canonical.ts'
import type { Ending, Expectation, NewEntry, Revision } from '../../core/commit/batch.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import {
  checkContent,
  type EntryDraft,
  type EntryVersion,
  type Origin,
  type ParsedDraft,
  parseDraft,
  toMemoryEntry,
} from '../../core/entries/entry.ts'
import { isHostTag, parseTags, sourceTag } from '../../core/entries/tags.ts'
import { defaultTrust, type Trust, writeTrust } from '../../core/entries/trust.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkWrittenRef, refuseHostMemoryRef } from '../../core/names.ts'
import {
  batchOf,
  type NewSourceEvent,
  type SourceEventRecord,
  type WrittenBatch,
} from '../../core/provenance/source-event.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { pauseBeforeRetry } from '../decide-and-commit.ts'
import { storedName, underStoredNames } from '../people/stored-spellings.ts'
import { originOf } from '../provenance/origin-of-event.ts'
import {
  type AdmittedSource,
  type Caller,
  type EventSource,
  otherPayload,
  receiveOnce,
} from '../provenance/receive-once.ts'
import type { Tenant } from '../tenant.ts'
import type { PutManyResult } from './put.ts'
import { mayRead } from './read-access.ts'
import { repeatedVersions } from './repeated-call.ts'

/** New, revised and deleted entries of one ref, stored together or not at all. */
export type BatchDraft = {
  readonly entries: readonly EntryDraft[]
  readonly revisions: readonly RevisionDraft[]
  readonly deletes: readonly string[]
  /** The position at which the caller read the entries: if one that it revises or deletes was changed since, nothing is stored. */
  readonly asOf: number | null
  /** The newest entries of the ref must be these, newest first; with an empty list, the ref must be empty. Null: any. */
  readonly newest: readonly string[] | null
  /** The source event that says who wrote this, and in which conversation. It makes the call repeatable. */
  readonly source: EventSource | null
}

/** The next version of an entry. Without `tags`, it keeps those that it has. */
type RevisionDraft = {
  readonly id: string
  readonly content: string
  readonly tags?: readonly string[] | undefined
  /** A class below that of the credential. */
  readonly trust?: Trust | undefined
}

type ParsedBatch = Pick<BatchDraft, 'deletes' | 'asOf' | 'newest'> & {
  readonly entries: readonly ParsedDraft[]
  readonly revisions: readonly RevisionDraft[]
}

/**
 * Stores a batch in one commit, with its source event if it has one. An entry that is revised or deleted must still be there. A resent
 * source event stores nothing: it gets the entries of the first call, as far as they still exist.
 */
export function writeBatch(
  tenant: Tenant,
  memoryRef: string,
  draft: BatchDraft,
  caller: Caller,
  options: WriteOptions,
): Promise<PutManyResult> {
  return withMemorySpan('create_memory', async (note) => {
    const batch = parseBatch(memoryRef, draft)
    note({ recordCount: batch.entries.length + batch.revisions.length })
    const { source } = draft
    if (source === null) return commitPlain(tenant, memoryRef, batch, caller, options)
    const payloadHash = hashOf(batch)
    return receiveOnce(tenant, source, caller, {
      store: (admitted) => commitWithEvent(tenant, memoryRef, batch, { ...admitted, source, caller, payloadHash }),
      repeat: (first) => repeat(tenant, first, memoryRef, payloadHash),
    })
  })
}

function parseBatch(memoryRef: string, { entries, revisions, deletes, asOf, newest }: BatchDraft): ParsedBatch {
  checkWrittenRef(memoryRef)
  refuseHostMemoryRef(memoryRef)
  const changed = [...revisions.map(({ id }) => id), ...deletes]
  if (entries.length + changed.length === 0) throw invalid('entries', 'must not be empty: nothing else is to change')
  if (new Set(changed).size < changed.length) throw invalid('deletes', 'must not name an entry twice')
  for (const { content } of revisions) checkContent(content)
  const parsed = revisions.map(({ tags, ...text }) => (tags === undefined ? text : { ...text, tags: parseTags(tags) }))
  return { entries: entries.map((entry) => parseDraft(entry)), revisions: parsed, deletes, asOf, newest }
}

/** What the writer says: the texts, and not which entries they replace, because a retry may find others. */
function hashOf({ entries, revisions }: ParsedBatch): string {
  const next = revisions.map(({ content, tags = null, trust }) => ({ content, tags, ...(trust && { trust }) }))
  return `sha256:${sha256(canonicalJson([...entries, ...next]))}`
}

async function commitPlain(
  tenant: Tenant,
  memoryRef: string,
  batch: ParsedBatch,
  { actor }: Caller,
  options: WriteOptions,
): Promise<PutManyResult> {
  const write = { ...options, call: { operation: 'write-batch', memoryRef, ...batch } }
  // Decided before the entries are looked up: those that the first call deleted are gone.
  const known = options.idempotencyKey === undefined ? null : await tenant.findOutcome(write)
  const committed = await whenNewest(tenant, memoryRef, batch, async (condition) => {
    const change = known === null ? await plan(tenant, memoryRef, batch, { kind: 'api' }, null) : emptyChange
    return tenant.commit({ ...change, ...condition }, { ...write, actor })
  })
  const { repeated, outcome } = committed
  const versions = repeated ? await repeatedVersions(tenant, outcome) : committed.versions
  return { entries: versions.map(toMemoryEntry), position: outcome.position, repeated }
}

const emptyChange: Change = { kind: 'memory.written' }

/** Commits while the newest entries of the ref are those that the caller names: read, and stored only if nothing came between. */
async function whenNewest<T>(
  tenant: Tenant,
  memoryRef: string,
  { newest }: ParsedBatch,
  commit: (condition: Pick<Change, 'expectsPosition'>) => Promise<T>,
): Promise<T> {
  if (newest === null) return commit({})
  for (let attempt = 1; ; attempt++) {
    const { entries, position } = await tenant.list(memoryRef, { limit: Math.max(newest.length, 1) })
    if (entries.length !== newest.length || entries.some(({ id }, at) => id !== newest[at]))
      throw new ColophonError('version_conflict', 'The newest entries of the ref are not those that the call names.')
    try {
      return await commit({ expectsPosition: position })
    } catch (error) {
      if (!isColophonError(error, 'version_conflict') || attempt >= limits.decideAttemptsMax) throw error
      await pauseBeforeRetry(attempt)
    }
  }
}

type EventParts = AdmittedSource & {
  readonly source: EventSource
  readonly caller: Caller
  readonly payloadHash: string
}

async function commitWithEvent(
  tenant: Tenant,
  memoryRef: string,
  batch: ParsedBatch,
  { service, tombstone, trust, source, caller, payloadHash }: EventParts,
): Promise<PutManyResult> {
  const event = toEvent(tenant, batch, { ...source, service }, caller, payloadHash, trust)
  const { versions, outcome } = await whenNewest(tenant, memoryRef, batch, async (condition) => {
    const change = await plan(tenant, memoryRef, batch, originOf(event), trust)
    const entries = [...(change.puts ?? []), ...(change.revisions ?? [])].map(({ entryId }) => entryId)
    const written: WrittenBatch = { memoryRef, entries }
    const subject = await storedName(tenant, event.subject)
    return tenant.commit(
      { ...change, ...condition, sourceEvents: [{ ...event, subject, metadata: { ...written }, tombstone }] },
      { actor: caller.actor, call: { operation: 'write-batch', service, eventId: source.eventId } },
    )
  })
  return { entries: versions.map(toMemoryEntry), position: outcome.position, repeated: false }
}

/** The event has no messages: the entries hold the texts. Its hash would reveal something about them, so only auditors see it. */
function toEvent(
  tenant: Tenant,
  { entries }: ParsedBatch,
  { service, eventId, observedAt, scope, evidence }: EventSource,
  { actor, requestId }: Caller,
  payloadHash: string,
  trust: Trust,
): NewSourceEvent {
  const now = tenant.now()
  const subjects = new Set(entries.map(({ subject }) => subject))
  const [subject] = subjects
  return {
    sourceEventId: tenant.system.newId('src'),
    service,
    eventId,
    subject: subjects.size === 1 && subject ? subject : '',
    agentId: null,
    infer: false,
    observedAt: observedAt ?? now,
    receivedAt: now,
    payloadHash,
    isHashPrivate: true,
    salt: tenant.system.newSalt(),
    scope,
    evidence,
    metadata: {},
    messages: null,
    jobId: '',
    actor,
    trust,
    readers: null,
    requestId,
  }
}

async function plan(
  tenant: Tenant,
  memoryRef: string,
  { entries, revisions, deletes, asOf }: ParsedBatch,
  origin: Origin,
  own: Trust | null,
): Promise<Change> {
  const heads = await headsOf(tenant, memoryRef, [...revisions.map(({ id }) => id), ...deletes], asOf)
  const exact = own === null ? {} : { hasExactTags: true as const }
  const drafted = entries.map(
    (entry): NewEntry => ({
      ...entry,
      ...(own === null || own === defaultTrust || entry.trust !== undefined ? {} : { trust: own }),
      memoryRef,
      entryId: tenant.system.newId('mem'),
      tags: [...entry.tags, sourceTag(origin)],
      origin,
      salt: tenant.system.newSalt(),
      ...exact,
    }),
  )
  const puts = await underStoredNames(tenant, drafted)
  const next = revisions.map(({ id: entryId, content, tags, trust }): Revision => {
    const kept = (heads.get(entryId)?.tags ?? []).filter((tag) => !isHostTag(tag))
    return {
      memoryRef,
      entryId,
      content,
      tags: [...(tags ?? kept), sourceTag(origin)],
      origin,
      editorTrust: writeTrust(own ?? defaultTrust, trust),
      revives: false,
      salt: tenant.system.newSalt(),
      ...exact,
    }
  })
  const ends = deletes.map((entryId): Ending => ({ memoryRef, entryId, reason: 'deleted' }))
  const expects = [...heads.values()].map(({ entryId, version }): Expectation => ({ memoryRef, entryId, version }))
  const kind = puts.length > 0 ? 'memory.written' : next.length > 0 ? 'memory.revised' : 'memory.deleted'
  return { kind, puts, revisions: next, ends, expects }
}

/** The newest versions of entries that are to change: all of them must be there, and unchanged since `asOf`. */
async function headsOf(
  tenant: Tenant,
  memoryRef: string,
  ids: readonly string[],
  asOf: number | null,
): Promise<ReadonlyMap<string, EntryVersion>> {
  if (ids.length === 0) return new Map()
  const versions = await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const now = tenant.expiryNow()
  const heads = new Map(
    versions
      .filter((version) => version.memoryRef === memoryRef && version.endedPosition === null)
      .filter((version) => !isExpired(version, now) && mayRead(tenant, version.readers))
      .filter(({ recordedPosition }) => asOf === null || recordedPosition <= asOf)
      .map((version) => [version.entryId, version]),
  )
  const missing = ids.filter((id) => !heads.has(id))
  if (missing.length === 0) return heads
  throw new ColophonError('version_conflict', 'An entry to change was changed or deleted since it was read.', {
    details: { ids: missing.slice(0, limits.importConflictsShownMax) },
  })
}

async function repeat(
  tenant: Tenant,
  first: SourceEventRecord,
  memoryRef: string,
  payloadHash: string,
): Promise<PutManyResult> {
  const batch = batchOf(first)
  if (batch === null || batch.memoryRef !== memoryRef || first.payloadHash !== payloadHash) throw otherPayload()
  const versions = await tenant.storage.provenance.newestVersions(tenant.id, batch.entries)
  const now = tenant.expiryNow()
  const byId = new Map(versions.map((version) => [version.entryId, version]))
  const entries = batch.entries.flatMap((id) => byId.get(id) ?? [])
  const live = entries.filter((entry) => entry.endedPosition === null && !isExpired(entry, now))
  return {
    entries: live.filter(({ readers }) => mayRead(tenant, readers)).map(toMemoryEntry),
    position: first.recordedPosition,
    repeated: true,
  }
}
