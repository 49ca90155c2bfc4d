import { type EntryFilter, requiredTag } from '../../core/filter/filter.ts'
import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import type { NearQuery, NearVersion, VectorStore } from '../../ports/vector-store.ts'
import { nearestFirst } from './take-nearest.ts'

/**
 * The nearest versions among all that match a filter: exact, and cheaper than to pass over the others if few match. The database finds
 * the matches a limited number of rows at a time.
 */
export async function compareMatching(
  query: NearQuery,
  filter: EntryFilter,
  { listMatching, similarities }: Pick<Storage, 'listMatching'> & Pick<VectorStore, 'similarities'>,
): Promise<NearVersion[]> {
  const { tenantId, memoryRef, position, access, now, limit } = query
  const asked = { tenantId, memoryRef, tag: requiredTag(filter), filter, now, includesEnded: false }
  const examinedMax = limits.filterStepRows
  // More than a step can find, so that every step ends where its examined rows end.
  const step = { ...asked, view: { position, own: [], access }, examinedMax, limit: examinedMax + 1 }
  let nearest: NearVersion[] = []
  for (let before: NonNullable<Parameters<Storage['listMatching']>[0]['before']> | null = null; ; ) {
    const { versions, examinedTo } = await listMatching({ ...step, before })
    if (versions.length > 0) {
      const found = await similarities({ ...query, places: versions })
      const compared = versions.flatMap((version, at): NearVersion[] => {
        const similarity = found[at] ?? null
        return similarity === null ? [] : [{ version, similarity }]
      })
      nearest = [...nearest, ...compared].sort(nearestFirst).slice(0, limit)
    }
    if (examinedTo === null) return nearest
    before = examinedTo
  }
}
