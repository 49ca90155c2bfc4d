import { refChangesOf } from '../../core/audit/audit.ts'
import { asserts, mayAssert, statementTerms } from '../../core/commitments/statement.ts'
import { commonReaders } from '../../core/entries/access.ts'
import { currentView, isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { areSameReaders, type Readers } from '../../core/entries/readers.ts'
import { isBelow } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import { auditRowsBetween } from '../changes/change-stream.ts'
import type { Engine } from '../engine.ts'
import { trustFloorOf } from '../entries/read-access.ts'
import { createTimeSlice, yieldToEventLoop } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { termsOfVersion } from './compared-texts.ts'
import type { FoundCommitment } from './find-commitments.ts'

/**
 * Up to which position this process has compared entries with the statement of a commitment. A cache: a process that has none reads the whole
 * ref once.
 */
const compared = new WeakMap<Engine['storage'], Map<string, number>>()

/** Whether an entry of the ref that was written since asserts the statement of a commitment. */
export async function findAssertion(
  tenant: Tenant,
  { commitment, version, source }: FoundCommitment,
): Promise<boolean> {
  const { condition, memoryRef, memoryId } = commitment
  const terms = condition.kind === 'predicate' ? statementTerms(condition.statement) : null
  if (condition.kind !== 'predicate' || terms === null) return false
  const cache = compared.get(tenant.storage) ?? new Map<string, number>()
  compared.set(tenant.storage, cache)
  // The version is part of the key: another statement is compared with everything again.
  const key = `${tenant.id} ${commitment.commitmentId} ${version.version}`
  const from = cache.get(key)
  const reached = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const entries =
    from === undefined ? entriesOfRef(tenant, memoryRef) : changedEntries(tenant, memoryRef, from, reached)
  const floor = await trustFloorOf(tenant)
  const readers = source?.readers ?? version.readers
  const slice = createTimeSlice()
  for await (const entry of entries) {
    await slice()
    const isNew = entry.recordedPosition > condition.since && entry.entryId !== memoryId
    if (!isNew || entry.endedPosition !== null || isExpired(entry, tenant.expiryNow())) continue
    // An untrusted text meets no condition, and neither does one that a reader of the commitment cannot see.
    if (entry.trust === 'untrusted' || isBelow(entry.trust, floor) || !isSeenByAll(readers, entry.readers)) continue
    if (mayAssert(termsOfVersion(tenant, entry), terms) && asserts(entry.content, terms)) return true
  }
  if (cache.size >= cachedMax) cache.clear()
  cache.set(key, reached)
  return false
}

const cachedMax = 10_000

function isSeenByAll(readers: Readers, ofEntry: Readers): boolean {
  return areSameReaders(commonReaders([readers, ofEntry]), readers)
}

async function* entriesOfRef(tenant: Tenant, memoryRef: string): AsyncGenerator<EntryVersion> {
  const query = { tenantId: tenant.id, memoryRef, tag: null, view: currentView }
  const limit = limits.pageEntriesMax
  for (let before: Place | null = null; ; ) {
    const { versions } = await tenant.storage.list({ ...query, now: tenant.expiryNow(), before, limit })
    yield* versions
    before = versions.at(-1) ?? null
    if (before === null || versions.length < limit) return
    await yieldToEventLoop()
  }
}

async function* changedEntries(
  tenant: Tenant,
  memoryRef: string,
  after: number,
  to: number,
): AsyncGenerator<EntryVersion> {
  const ids = new Set<string>()
  for await (const row of auditRowsBetween(tenant, after, to))
    for (const change of refChangesOf(row))
      if (change.memoryRef === memoryRef) for (const id of change.entryIds) ids.add(id)
  const all = [...ids]
  for (let index = 0; index < all.length; index += limits.pageEntriesDefault)
    yield* await tenant.storage.provenance.newestVersions(
      tenant.id,
      all.slice(index, index + limits.pageEntriesDefault),
    )
}
