import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { isEventFenced } from '../../core/forget/fence.ts'
import { scrubReaders } from '../../core/forget/scrub-record.ts'
import { fencedPeople } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import type { SourceEventRecord, SourceRewrite } from '../../core/provenance/source-event.ts'
import type { SourceEventHead } from '../../ports/provenance-store.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import type { ForgetProcess } from './forget-process.ts'
import { forgottenPerson } from './forgotten-person.ts'

/**
 * Replaces a forgotten person in the readers of entries and source events about others by a keyed digest. The lists stay as long as they are: an
 * entry is never readable for more than before.
 */
export async function eraseReaders(erasure: ForgetProcess): Promise<void> {
  for await (const found of namedReaders(erasure)) await erasure.step(found.change, { readers: found.count })
}

/** How many entries and source events still name a forgotten person as a reader. */
export async function countReaders(erasure: ForgetProcess): Promise<number> {
  let left = 0
  for await (const { count } of namedReaders(erasure)) left += count
  return left
}

async function* namedReaders(erasure: ForgetProcess) {
  if (fencedPeople(erasure.fences).length === 0) return
  yield* namedEntries(erasure)
  yield* namedSources(erasure)
}

async function* namedEntries(erasure: ForgetProcess) {
  const { tenant } = erasure
  const person = await forgottenPerson(erasure)
  const limit = limits.rewritePageEntriesMax
  const read = (after: ScanPlace | null) => tenant.storage.scanVersions({ tenantId: tenant.id, after, limit })
  const placeOf = ({ entryId, version }: EntryVersion): ScanPlace => ({ entryId, version })
  let lastEntry: string | undefined
  for await (const page of erasure.pages(read, placeOf, limit)) {
    const { position } = erasure.namedUpTo
    const isNamed = ({ readers, createdPosition }: EntryVersion) =>
      createdPosition <= position && scrubReaders(readers, person) !== readers
    const named = page.filter(isNamed)
    const ids = [...new Set(named.map(({ entryId }) => entryId))]
    // Those that are erased: a dry run still finds them.
    const gone = ids.length === 0 ? [] : await tenant.storage.forget.among(tenant.id, erasure.fences, ids)
    const erased = new Set(gone.map(({ entryId }) => entryId))
    const rewrites = named.flatMap(
      ({ memoryRef, entryId, version, content, tags, salt: readSalt, readers: before }) => {
        if (erased.has(entryId)) return []
        const readers = scrubReaders(before, person)
        return [{ memoryRef, entryId, version, content, tags, readSalt, salt: tenant.system.newSalt(), readers }]
      },
    )
    const entries = new Set(rewrites.map(({ entryId }) => entryId))
    // Its first versions were on the page before, and are counted.
    entries.delete(lastEntry ?? '')
    if (rewrites.length > 0) yield { change: { rewrites }, count: entries.size }
    lastEntry = page.at(-1)?.entryId
  }
}

async function* namedSources(erasure: ForgetProcess) {
  const seen = new Set<string>()
  for await (const events of candidates(erasure)) {
    const sourceRewrites = await scrubSources(
      erasure,
      events.filter(({ sourceEventId: id }) => !seen.has(id)),
    )
    for (const { sourceEventId } of sourceRewrites) seen.add(sourceEventId)
    if (sourceRewrites.length > 0) yield { change: { sourceRewrites }, count: sourceRewrites.length }
  }
}

/** Source events whose readers may be named: those of the event, and those of its messages if they are kept. */
async function* candidates(erasure: ForgetProcess): AsyncGenerator<readonly SourceEventRecord[]> {
  const { id: tenantId, storage } = erasure.tenant
  const person = await forgottenPerson(erasure)
  const limit = limits.rewritePageEntriesMax
  const idOf = ({ sourceEventId }: Pick<SourceEventHead, 'sourceEventId'>) => sourceEventId
  const heads = (after: string | null) => storage.provenance.sourceEventHeads({ tenantId, after, limit })
  for await (const page of erasure.pages(heads, idOf, limit)) {
    const named = page.filter(({ readers }) => scrubReaders(readers, person) !== readers)
    const events = await Promise.all(
      named.map(({ sourceEventId }) => storage.provenance.sourceEvent(tenantId, sourceEventId)),
    )
    yield events.filter((event) => event !== null)
  }
  const receivedBefore = Number.MAX_SAFE_INTEGER
  const kept = (after: string | null) => storage.provenance.keptPayloads({ tenantId, receivedBefore, after, limit })
  yield* erasure.pages(kept, idOf)
}

async function scrubSources(erasure: ForgetProcess, events: readonly SourceEventRecord[]): Promise<SourceRewrite[]> {
  const person = await forgottenPerson(erasure)
  const clean = <T extends { readonly readers?: Readers }>(row: T): T => {
    const readers = scrubReaders(row.readers ?? null, person)
    return readers === (row.readers ?? null) ? row : { ...row, readers }
  }
  return events.flatMap((event) => {
    if (event.recordedPosition > erasure.namedUpTo.position) return []
    if (event.isErased || isEventFenced(event, erasure.fences) || erasure.seen.has(event.sourceEventId)) return []
    const messages = event.messages?.map(clean) ?? null
    const next = clean(event)
    const isSame = next === event && (messages ?? []).every((message, at) => message === event.messages?.[at])
    return isSame ? [] : [{ ...next, messages, salt: erasure.tenant.system.newSalt() }]
  })
}
