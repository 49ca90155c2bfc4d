import type { EntryVersion } from '../../core/entries/entry.ts'
import { fits, type SearchFilter } from '../../core/search/filter.ts'
import type { SpokenVersion } from '../../ports/search-store.ts'
import type { Tenant } from '../tenant.ts'

type Wish = {
  readonly memoryRef: string
  readonly filter: SearchFilter
  readonly limit: number
}

/** Looked up together, so that a search for one entry does not ask for each that it passes over. */
const lookedUpMin = 50

/** What stands around a find was read for its words only: whether it is wanted is looked up, best first, until there are enough. */
export async function wantedOf<T extends { readonly version: SpokenVersion }>(
  tenant: Tenant,
  { memoryRef, filter, limit }: Wish,
  inOrder: readonly T[],
  known: readonly EntryVersion[],
): Promise<(T & { readonly entry: EntryVersion })[]> {
  const entries = new Map(known.map((version) => [version.entryId, version]))
  const wanted: (T & { readonly entry: EntryVersion })[] = []
  const step = Math.max(limit, lookedUpMin)
  for (let from = 0; from < inOrder.length && wanted.length < limit; from += step) {
    const page = inOrder.slice(from, from + step)
    const keys = page.flatMap(({ version: { entryId, version } }) =>
      entries.has(entryId) ? [] : [{ memoryRef, entryId, version }],
    )
    for (const version of keys.length > 0 ? await tenant.storage.versions(tenant.id, keys) : [])
      entries.set(version.entryId, version)
    for (const each of page) {
      const entry = entries.get(each.version.entryId)
      if (entry && fits(entry, filter) && wanted.length < limit) wanted.push({ ...each, entry })
    }
  }
  return wanted
}
