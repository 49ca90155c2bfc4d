import { commonReaders } from '../../core/entries/access.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { limits } from '../../core/limits.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import type { RankedContent } from '../../core/provenance/resolve-conflict.ts'
import { batchOf, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import { mayRead } from '../entries/read-access.ts'
import { abreast, createTimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'

/** Which parts of claims and sources the reader of a handle may see. Without a reader, all of them, and nothing is read for it. */

/**
 * Whether the reader may see a source event: it was stated to the reader, and the reader may see all that came of it as it is today.
 * The readers of an erased event, or of an entry that is no longer stored, are not known any more.
 */
export async function mayReadEvent(
  tenant: Tenant,
  event: Pick<SourceEventRecord, 'sourceEventId' | 'readers' | 'isErased'>,
): Promise<boolean> {
  if (tenant.reader === null) return true
  if (event.isErased || !mayRead(tenant, event.readers)) return false
  const entryIds = await entriesOfEvent(tenant, event.sourceEventId)
  if (entryIds.length === 0) return true
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, entryIds)
  return entries.length === entryIds.length && entries.every(({ readers }) => mayRead(tenant, readers))
}

/** The entries that a source event stated. */
export async function entriesOfEvent(tenant: Tenant, sourceEventId: string): Promise<readonly string[]> {
  const assertions = await tenant.storage.provenance.assertionsOfEvent(tenant.id, sourceEventId)
  const stated = (await Promise.all(assertions.map((item) => entryOf(tenant, item)))).flat()
  const event = assertions.length > 0 ? null : await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId)
  return [...new Set([...stated, ...((event && batchOf(event)?.entries) ?? [])])]
}

/** The entry of an assertion. A buffered assertion has none; then the entry that a second source made of the same content. */
async function entryOf(tenant: Tenant, { claimId, contentKey, entryId }: Assertion): Promise<string[]> {
  if (entryId !== null) return [entryId]
  const all = await tenant.storage.provenance.assertions(tenant.id, claimId)
  return all.flatMap((item) => (item.contentKey === contentKey && item.entryId !== null ? [item.entryId] : []))
}

/** The contents of a claim that the reader may see: by their entry as it is today, or while they are buffered by their source events. */
export async function readableContents(
  tenant: Tenant,
  contents: readonly RankedContent[],
): Promise<readonly RankedContent[]> {
  if (tenant.reader === null) return contents
  const { provenance } = tenant.storage
  const entryIds = contents.flatMap(({ entryId }) => (entryId === null ? [] : [entryId]))
  const entries = entryIds.length === 0 ? [] : await provenance.newestVersions(tenant.id, entryIds)
  const ofEntry = new Map(entries.map(({ entryId, readers }) => [entryId, readers]))
  const shown: RankedContent[] = []
  for (const content of contents) {
    const { entryId, supporters } = content
    const readers = entryId === null ? await readersOfSources(tenant, supporters) : ofEntry.get(entryId)
    if (readers !== undefined && mayRead(tenant, readers)) shown.push(content)
  }
  return shown
}

async function readersOfSources(tenant: Tenant, supporters: RankedContent['supporters']): Promise<Readers> {
  const ids = [...new Set(supporters.map(({ sourceEventId }) => sourceEventId))]
  const events = await tenant.storage.provenance.sourceEventSummaries(tenant.id, ids)
  // What has no source any more is shown to no reader.
  return events.length < ids.length ? [] : commonReaders(events.map(({ readers }) => readers))
}

type Range = { readonly after: string | null; readonly limit: number }

/**
 * A page of a list without the items that the reader cannot see: reads on until the page is full or the list ends. It is full too if the
 * views that it has are enough.
 */
export async function readablePage<Item, View>(
  { after, limit }: Range,
  read: (range: Range) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
  view: (item: Item) => Promise<View | null>,
  areEnough: (shown: readonly View[]) => boolean = () => false,
): Promise<readonly View[]> {
  const shown: View[] = []
  const slice = createTimeSlice()
  // After the first page few items are shown, and a small limit must not mean many small reads.
  for (let from = after, size = limit; ; size = Math.max(limit, limits.readablePageItems)) {
    await slice()
    const page = await read({ after: from, limit: size })
    for (let at = 0; at < page.length; at += abreast) {
      await slice()
      const views = await Promise.all(page.slice(at, at + abreast).map(view))
      shown.push(...views.filter((item) => item !== null))
      if (areEnough(shown)) return shown.slice(0, limit)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < size || shown.length >= limit) return shown.slice(0, limit)
    from = idOf(last)
  }
}
