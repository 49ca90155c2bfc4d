import type { Database, Statement } from 'better-sqlite3'
import type { VersionKey } from '../../core/commit/batch.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { type EntryFilter, requiredTag } from '../../core/filter/filter.ts'
import { limits } from '../../core/limits.ts'
import type { CodePlace } from '../../core/search/sign-codes.ts'
import { cosineSimilarity, vectorFromBytes, vectorToBytes } from '../../core/search/vectors.ts'
import type { Storage } from '../../ports/storage.ts'
import type { NearQuery, NearVersion, NewVector, VectorSpace, VectorStore } from '../../ports/vector-store.ts'
import { compareMatching } from '../sql/compare-matching.ts'
import { type ComparedVector, nearestFirst, takeNearest } from '../sql/take-nearest.ts'
import { toVersion, type VersionRow } from '../sql/version-rows.ts'
import type { CodeCache } from './code-cache.ts'
import { prepareVectors } from './vector-statements.ts'

/** Vectors as the committer needs them: inside a transaction that is already open. */
export type VectorTable = ReturnType<typeof createVectorTable>

export function createVectorTable(db: Database, codes: CodeCache) {
  const remove = db.prepare(`
    delete from entry_vector
     where tenant_id = ?
       and memory_ref = ?
       and created_position = ?
       and ordinal = ?
       and version = ?`)
  const setBack = db.prepare('update vector_progress set position = ? where tenant_id = ? and position > ?')
  const erase = (tenantId: string, v: VersionKey & Place) => {
    remove.run(tenantId, v.memoryRef, v.createdPosition, v.ordinal, v.version)
    codes.noteChange(tenantId, v)
  }
  return {
    erase,
    /** The text has changed: its vector is deleted, and the version is examined again. */
    rewrite(tenantId: string, v: EntryVersion): void {
      erase(tenantId, v)
      setBack.run(v.recordedPosition - 1, tenantId, v.recordedPosition - 1)
    },
  }
}

type NearRow = { entry_id: string; version: number; vector: Uint8Array }

type Parts = {
  readonly reader: Database
  readonly writer: Database
  readonly codes: CodeCache
  readonly answer: <T>(work: () => T) => Promise<T>
  readonly read: Pick<Storage, 'versions' | 'listMatching'>
  /** Up to so many vectors a ref is searched exactly. */
  readonly exactMax: number
}

export function createVectorStore({ reader, writer, codes, answer, read, exactMax }: Parts): VectorStore {
  const sql = prepareVectors(reader, writer)

  const begin = writer.transaction((tenantId: string, { model, dimensions }: VectorSpace): number => {
    const reached = sql.reached.get(tenantId, model, dimensions) as number | undefined
    if (reached !== undefined) return reached
    sql.dropProgress.run(tenantId)
    sql.addProgress.run(tenantId, model, dimensions)
    return 0
  })

  const save = writer.transaction(
    (tenantId: string, { model, dimensions }: VectorSpace, madeAt: number, vectors: readonly NewVector[]) => {
      let saved = 0
      for (const { entryId, version, content, contentHash, vector, ...place } of vectors) {
        codes.noteChange(tenantId, { ...place, version })
        const made = { model, dimensions, contentHash, madeAt, vector: vectorToBytes(vector) }
        saved += sql.save.run({ tenantId, entryId, version, content, ...made }).changes
      }
      return saved
    },
  )

  const hasUpTo = ({ tenantId, memoryRef }: NearQuery, count: number) =>
    (sql.countUpTo.get(tenantId, memoryRef, count + 1) as number) <= count

  const compareAll = ({ tenantId, memoryRef, space: { model, dimensions }, vector, position }: NearQuery) =>
    (sql.vectors.all({ tenantId, memoryRef, model, dimensions, position }) as NearRow[]).map((row) =>
      toCompared(row, vector),
    )

  /** All vectors of versions with a tag; null when there are too many to compare one by one. */
  function compareTagged(query: NearQuery, tag: string): ComparedVector[] | null {
    const { tenantId, memoryRef, space, vector, position } = query
    const count = sql.countTagged.get({ tenantId, memoryRef, tag, limit: exactMax + 1 }) as number
    if (count > exactMax) return null
    const { model, dimensions } = space
    const rows = sql.tagged.all({ tenantId, memoryRef, tag, model, dimensions, position }) as NearRow[]
    return rows.map((row) => toCompared(row, vector))
  }

  type Compared = Pick<NearQuery, 'tenantId' | 'memoryRef' | 'space' | 'vector'>
  // In one transaction: a lookup by itself would take and release a lock, which is a third of its time.
  const lookUp = <T>(statement: Statement, compare: (found: unknown, vector: Float32Array) => T) =>
    reader.transaction((query: Compared, places: readonly CodePlace[]): (T | null)[] => {
      const { tenantId, memoryRef, space, vector } = query
      return places.map(({ createdPosition, ordinal, version }) => {
        const key = [tenantId, memoryRef, createdPosition, ordinal, version] as const
        const found = statement.get(...key, space.model, space.dimensions)
        return found === undefined ? null : compare(found, vector)
      })
    })
  const compareEach = lookUp(sql.vector, (row, vector) => toCompared(row as NearRow, vector))
  const similarityEach = lookUp(sql.bytes, (bytes, vector) =>
    cosineSimilarity(vector, vectorFromBytes(bytes as Uint8Array)),
  )

  const similarities: VectorStore['similarities'] = ({ places, ...query }) =>
    answer(() => similarityEach(query, places))

  /** Compares the vectors with the best estimates, then more of them while too few match, or all that match if those are few. */
  async function nearestByCodes(query: NearQuery): Promise<readonly NearVersion[]> {
    const ofRef = await codes.of(query)
    const next = await answer(() => ofRef.nearest(query.vector, query.position))
    const found: NearVersion[] = []
    for (const count of roundsOf(query)) {
      const places = next(count)
      const compared = (await answer(() => compareEach(query, places))).filter((one) => one !== null)
      found.push(...(await takeNearest(query, compared, read.versions)))
      if (found.length >= query.limit || places.length < count) return found.sort(nearestFirst).slice(0, query.limit)
      if (query.where !== undefined && found.length * comparedMost < query.limit * count) break
    }
    return compareMatching(query, query.where as EntryFilter, { listMatching: read.listMatching, similarities })
  }

  return {
    begin: (tenantId, space) => answer(() => begin.immediate(tenantId, space)),
    reached: (tenantId, { model, dimensions }) =>
      answer(() => (sql.reached.get(tenantId, model, dimensions) as number | undefined) ?? 0),
    reach: (tenantId, { model, dimensions }, from, to) =>
      answer(() => sql.reach.run(to, tenantId, model, dimensions, from).changes > 0),
    pending: ({ tenantId, space, madeSince, after, limit }) =>
      answer(() => {
        const { recordedPosition, entryId, version } = after
        const looked = sql.recordedAfter.all({
          ...{ tenantId, recordedPosition, entryId, version, limit },
          ...{ model: space.model, dimensions: space.dimensions, madeSince },
        }) as (VersionRow & { is_pending: number })[]
        const last = looked.at(-1)
        return {
          versions: looked.filter((row) => row.is_pending === 1).map(toVersion),
          last: last ? toVersion(last) : null,
        }
      }),
    known: ({ tenantId, space: { model, dimensions }, madeSince, contentHashes }) =>
      answer(() => {
        const query = { tenantId, model, dimensions, madeSince, hashes: JSON.stringify(contentHashes) }
        const rows = sql.known.all(query) as { content_hash: string; vector: Uint8Array }[]
        return new Map(rows.map((row) => [row.content_hash, vectorFromBytes(row.vector)]))
      }),
    save: (...args) => answer(() => save.immediate(...args)),
    async nearest(query) {
      if (await answer(() => hasUpTo(query, exactMax)))
        return takeNearest(query, await answer(() => compareAll(query)), read.versions)
      const tag = query.where === undefined ? null : requiredTag(query.where)
      const tagged = tag === null ? null : await answer(() => compareTagged(query, tag))
      return tagged === null ? nearestByCodes(query) : takeNearest(query, tagged, read.versions)
    },
    similarities,
    method: () => 'codes',
    removeOthers: (tenantId, { model, dimensions }, limit) =>
      answer(() => sql.removeOthers.run({ tenantId, model, dimensions, limit }).changes),
    counts: (tenantId) => answer(() => sql.counts.all(tenantId) as (VectorSpace & { vectors: number })[]),
    versions: (tenantId, after) =>
      answer(() => ({
        versions: sql.countVersions.get(tenantId, -1) as number,
        waiting: sql.countVersions.get(tenantId, after) as number,
      })),
  }
}

function toCompared(row: NearRow, vector: Float32Array): ComparedVector {
  const similarity = cosineSimilarity(vector, vectorFromBytes(row.vector))
  return { entryId: row.entry_id, version: row.version, similarity }
}

/**
 * How many vectors are compared in each round. With a filter only two: then its matches are looked up, and already after the first if so few match that
 * the second would hardly find enough.
 */
function* roundsOf({ where }: NearQuery): Generator<number> {
  yield firstRound
  for (let rounds = 1; where === undefined || rounds < 2; rounds++) yield laterRound
}

const firstRound = limits.searchNearComparedMin
const laterRound = 4 * firstRound
/** With a filter, in both rounds. */
const comparedMost = firstRound + laterRound
