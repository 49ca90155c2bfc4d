import { isAccessible } from '../../core/entries/access.ts'
import { isExpired, isVisibleAt } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { cosineSimilarity } from '../../core/search/vectors.ts'
import type { Storage } from '../../ports/storage.ts'
import type { NewVector, RecordedPlace, VectorSpace, VectorStore } from '../../ports/vector-store.ts'
import type { TenantState } from './tenant-state.ts'

export type StoredVector = Omit<NewVector, 'content'> &
  VectorSpace & { readonly recordedPosition: number; readonly madeAt: number }

export function vectorKey({ entryId, version }: Pick<EntryVersion, 'entryId' | 'version'>): string {
  return `${entryId}\u0000${version}`
}

/** What the tables of vectors mean. */
export function modelVectors(
  tenants: ReadonlyMap<string, TenantState>,
  use: () => void,
  read: Storage['versions'],
): VectorStore {
  const stateOf = (tenantId: string) => {
    use()
    return tenants.get(tenantId)
  }
  const rowsOf = (tenantId: string) => [...(stateOf(tenantId)?.versions.values() ?? [])].flat()
  return {
    async begin(tenantId, space) {
      const progress = stateOf(tenantId)?.vectorProgress
      const reached = progress?.get(spaceKey(space))
      if (reached !== undefined) return reached
      progress?.clear()
      progress?.set(spaceKey(space), 0)
      return 0
    },
    async reached(tenantId, space) {
      return stateOf(tenantId)?.vectorProgress.get(spaceKey(space)) ?? 0
    },
    async reach(tenantId, space, from, to) {
      const progress = stateOf(tenantId)?.vectorProgress
      if (progress?.get(spaceKey(space)) !== from) return false
      progress.set(spaceKey(space), to)
      return true
    },
    async pending({ tenantId, space, madeSince, after, limit }) {
      const looked = rowsOf(tenantId)
        .filter((row) => byRecording(row, after) > 0)
        .sort(byRecording)
        .slice(0, limit)
      const vectors = stateOf(tenantId)?.vectors
      const versions = looked.filter((row) => {
        const vector = vectors?.get(vectorKey(row))
        return !vector || !isIn(vector, space) || vector.madeAt < madeSince
      })
      return { versions, last: looked.at(-1) ?? null }
    },
    async known({ tenantId, space, madeSince, contentHashes }) {
      const vectors = [...(stateOf(tenantId)?.vectors.values() ?? [])]
      const wanted = new Set(contentHashes)
      return new Map(
        vectors
          .filter((row) => isIn(row, space) && row.madeAt >= madeSince && wanted.has(row.contentHash))
          .map((row) => [row.contentHash, row.vector]),
      )
    },
    async save(tenantId, space, madeAt, vectors) {
      let saved = 0
      for (const { content, ...vector } of vectors) {
        const row = rowsOf(tenantId).find((other) => vectorKey(other) === vectorKey(vector))
        if (row?.content !== content) continue
        const { recordedPosition } = row
        stateOf(tenantId)?.vectors.set(vectorKey(vector), { ...vector, ...space, recordedPosition, madeAt })
        saved += 1
      }
      return saved
    },
    async nearest({ tenantId, memoryRef, space, vector, position, now, access, where, limit }) {
      const rows = [...(stateOf(tenantId)?.vectors.values() ?? [])].filter(
        (row) => row.memoryRef === memoryRef && isIn(row, space),
      )
      const vectors = new Map(rows.map((row) => [vectorKey(row), row.vector]))
      return (await read(tenantId, rows, where, position))
        .filter(
          (version) => isVisibleAt(version, position) && !isExpired(version, now) && isAccessible(version, access),
        )
        .map((version) => ({
          version,
          similarity: cosineSimilarity(vector, vectors.get(vectorKey(version)) ?? vector),
        }))
        .sort((a, b) => b.similarity - a.similarity || (a.version.entryId < b.version.entryId ? -1 : 1))
        .slice(0, limit)
    },
    async similarities({ tenantId, space, vector, places }) {
      return places.map((place) => {
        const row = stateOf(tenantId)?.vectors.get(vectorKey(place))
        return row && isIn(row, space) ? cosineSimilarity(vector, row.vector) : null
      })
    },
    method: () => 'scan',
    async removeOthers(tenantId, space, limit) {
      const vectors = stateOf(tenantId)?.vectors
      const others = [...(vectors ?? [])].filter(([, row]) => !isIn(row, space)).slice(0, limit)
      for (const [key] of others) vectors?.delete(key)
      return others.length
    },
    async counts(tenantId) {
      const counts = new Map<string, VectorSpace & { vectors: number }>()
      for (const { model, dimensions } of stateOf(tenantId)?.vectors.values() ?? []) {
        const key = spaceKey({ model, dimensions })
        counts.set(key, { model, dimensions, vectors: (counts.get(key)?.vectors ?? 0) + 1 })
      }
      return [...counts.values()].sort((a, b) => (a.model < b.model ? -1 : 1))
    },
    async versions(tenantId, after) {
      const rows = rowsOf(tenantId)
      return { versions: rows.length, waiting: rows.filter((row) => row.recordedPosition > after).length }
    },
  }
}

function spaceKey({ model, dimensions }: VectorSpace): string {
  return `${dimensions} ${model}`
}

function isIn(row: VectorSpace, { model, dimensions }: VectorSpace): boolean {
  return row.model === model && row.dimensions === dimensions
}

function byRecording(a: RecordedPlace, b: RecordedPlace): number {
  const byId = a.entryId === b.entryId ? 0 : a.entryId < b.entryId ? -1 : 1
  return a.recordedPosition - b.recordedPosition || byId || a.version - b.version
}
