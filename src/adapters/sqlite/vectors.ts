import type { Database } from 'better-sqlite3'
import type { VersionKey } from '../../core/commit/batch.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import type { EntryFilter } from '../../core/filter/filter.ts'
import { limits } from '../../core/limits.ts'
import type { CodePlace } from '../../core/search/sign-codes.ts'
import { cosineSimilarity, vectorFromBytes, vectorToBytes } from '../../core/search/vectors.ts'
import type { Storage } from '../../ports/storage.ts'
import type { NearQuery, NearVersion, NewVector, VectorSpace, VectorStore } from '../../ports/vector-store.ts'
import { compareMatching } from '../sql/compare-matching.ts'
import { type ComparedVector, nearestFirst, takeNearest } from '../sql/take-nearest.ts'
import { toVersion, type VersionRow, versionColumns } from '../sql/version-rows.ts'
import type { CodeCache } from './code-cache.ts'
import { notFenced } from './fence.ts'

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
  const sql = prepare(reader, writer)

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

  type Compared = Pick<NearQuery, 'tenantId' | 'memoryRef' | 'space' | 'vector'>
  // In one transaction: a lookup by itself would take and release a lock, which is a third of its time.
  const compareEach = reader.transaction((query: Compared, places: readonly CodePlace[]) => {
    const { tenantId, memoryRef, space, vector } = query
    return places.map(({ createdPosition, ordinal, version }) => {
      const key = [tenantId, memoryRef, createdPosition, ordinal, version] as const
      const row = sql.vector.get(...key, space.model, space.dimensions) as NearRow | undefined
      return row === undefined ? null : toCompared(row, vector)
    })
  })

  const similarities: VectorStore['similarities'] = ({ places, ...query }) =>
    answer(() => compareEach(query, places).map((compared) => compared?.similarity ?? null))

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
      const isSmall = await answer(() => hasUpTo(query, exactMax))
      return isSmall ? takeNearest(query, await answer(() => compareAll(query)), read.versions) : nearestByCodes(query)
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

/** How many vectors are compared in each round. With a filter only a few rounds: then its matches are looked up. */
function* roundsOf({ where }: NearQuery): Generator<number> {
  yield limits.searchNearComparedMin
  for (let rounds = 1; where === undefined || rounds < 2; rounds++) yield 4 * limits.searchNearComparedMin
}

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

function prepare(reader: Database, writer: Database) {
  return {
    reached: writer
      .prepare('select position from vector_progress where tenant_id = ? and model = ? and dimensions = ?')
      .pluck(),
    dropProgress: writer.prepare('delete from vector_progress where tenant_id = ?'),
    addProgress: writer.prepare(
      'insert into vector_progress (tenant_id, model, dimensions, position) values (?, ?, ?, 0)',
    ),
    reach: writer.prepare(`
      update vector_progress
         set position = ?
       where tenant_id = ?
         and model = ?
         and dimensions = ?
         and position = ?`),
    recordedAfter: reader.prepare(`
      select ${columnsOfV},
             x.version is null or x.model <> :model or x.dimensions <> :dimensions or x.made_at < :madeSince as is_pending
        from entry_version v indexed by entry_version_by_recording
        left join entry_vector x
          on x.tenant_id = v.tenant_id
         and x.memory_ref = v.memory_ref
         and x.created_position = v.created_position
         and x.ordinal = v.ordinal
         and x.version = v.version
       where v.tenant_id = :tenantId
         and (v.recorded_position, v.entry_id, v.version) > (:recordedPosition, :entryId, :version)
         and ${notFenced('v')}
       order by v.recorded_position, v.entry_id, v.version
       limit +:limit`),
    known: reader.prepare(`
      select content_hash, vector
        from entry_vector
       where tenant_id = :tenantId
         and content_hash in (select value from json_each(:hashes))
         and model = :model
         and dimensions = :dimensions
         and made_at >= :madeSince`),
    save: writer.prepare(`
      insert or replace into entry_vector (tenant_id, memory_ref, created_position, ordinal, version, entry_id,
        recorded_position, model, dimensions, content_hash, made_at, vector)
      select tenant_id, memory_ref, created_position, ordinal, version, entry_id, recorded_position,
             :model, :dimensions, :contentHash, :madeAt, :vector
        from entry_version
       where tenant_id = :tenantId
         and entry_id = :entryId
         and version = :version
         and content = :content`),
    countUpTo: reader
      .prepare('select count(*) from (select 1 from entry_vector where tenant_id = ? and memory_ref = ? limit +?)')
      .pluck(),
    vectors: reader.prepare(`
      select entry_id, version, vector
        from entry_vector
       where tenant_id = :tenantId
         and memory_ref = :memoryRef
         and model = :model
         and dimensions = :dimensions
         and recorded_position <= :position`),
    vector: reader.prepare(`
      select entry_id, version, vector
        from entry_vector
       where tenant_id = ?
         and memory_ref = ?
         and created_position = ?
         and ordinal = ?
         and version = ?
         and model = ?
         and dimensions = ?`),
    removeOthers: writer.prepare(`
      delete from entry_vector
       where rowid in (
         select rowid
           from entry_vector
          where tenant_id = :tenantId
            and (model <> :model or dimensions <> :dimensions)
          limit +:limit)`),
    counts: reader.prepare(`
      select model, dimensions, count(*) as vectors
        from entry_vector
       where tenant_id = ?
       group by model, dimensions
       order by model, dimensions`),
    countVersions: reader
      .prepare('select count(*) from entry_version where tenant_id = ? and recorded_position > ?')
      .pluck(),
  }
}
