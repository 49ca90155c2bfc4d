import { isAccessible } from '../../core/entries/access.ts'
import { isExpired, isVisibleAt } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Storage } from '../../ports/storage.ts'
import type { NearQuery, NearVersion } from '../../ports/vector-store.ts'

/** A version by its key, and the similarity of its vector. */
export type ComparedVector = Pick<EntryVersion, 'entryId' | 'version'> & { readonly similarity: number }

/** Versions that are compared with the filter together, at most: more at a time while few of them match. */
const comparedTogetherMax = 1_000

/** Of two that are equally near, the one with the lower id. */
export function nearestFirst(a: NearVersion, b: NearVersion): number {
  return b.similarity - a.similarity || (a.version.entryId < b.version.entryId ? -1 : 1)
}

/**
 * The nearest versions that a search may return. The store compares them with the filter, nearest first, until enough match:
 * near versions that do not match never hide a match that is further away.
 */
export async function takeNearest(
  { tenantId, memoryRef, position, now, access, where, limit }: NearQuery,
  compared: readonly ComparedVector[],
  read: Storage['versions'],
): Promise<NearVersion[]> {
  const order = compared.toSorted((a, b) => b.similarity - a.similarity || (a.entryId < b.entryId ? -1 : 1))
  const taken: NearVersion[] = []
  let together = limit
  for (let at = 0; at < order.length; ) {
    const page = order.slice(at, at + together)
    const keys = page.map(({ entryId, version }) => ({ memoryRef, entryId, version }))
    const matching = await read(tenantId, keys, where, position)
    const versions = new Map(matching.map((each) => [keyOf(each), each]))
    for (const each of page) {
      const version = versions.get(keyOf(each))
      if (!version || !isVisibleAt(version, position) || isExpired(version, now)) continue
      if (isAccessible(version, access)) taken.push({ version, similarity: each.similarity })
      if (taken.length === limit) return taken
    }
    at += page.length
    if (matching.length < page.length / 2) together = Math.min(2 * together, comparedTogetherMax)
  }
  return taken
}

function keyOf({ entryId, version }: Pick<EntryVersion, 'entryId' | 'version'>): string {
  return `${entryId}\u0000${version}`
}
