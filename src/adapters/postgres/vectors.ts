import type { SealedErasure, SealedRewrite } from '../../core/commit/batch.ts'
import { type EntryFilter, requiredTag } from '../../core/filter/filter.ts'
import { limits } from '../../core/limits.ts'
import { cosineSimilarity, vectorFromBytes, vectorToBytes } from '../../core/search/vectors.ts'
import type { Storage } from '../../ports/storage.ts'
import type { NearQuery, NearVersion, VectorSpace, VectorStore } from '../../ports/vector-store.ts'
import { compareMatching } from '../sql/compare-matching.ts'
import { type ComparedVector, takeNearest } from '../sql/take-nearest.ts'
import { toVersion, type VersionRow } from '../sql/version-rows.ts'
import { query, type Send, type Transaction, unnamedStatement } from './connection.ts'
import type { Database } from './database.ts'
import { toStorageError } from './errors.ts'
import type { NearIndex } from './near-index.ts'
import { nearestByIndex, toNear } from './near-search.ts'
import { tagKey } from './tag-rows.ts'
import { isLargeSql, vectorStatements as sql, vectorsWithNear } from './vector-statements.ts'

/** After the versions were locked: a process that saves a vector of one of them has finished by then, or finds no version. */
export function eraseVectors(send: Send, tenantId: string, erasures: readonly SealedErasure[]): Promise<unknown> {
  return send(sql.erase, [
    tenantId,
    erasures.map((v) => v.memoryRef),
    erasures.map((v) => v.createdPosition),
    erasures.map((v) => v.ordinal),
    erasures.map((v) => v.version),
  ])
}

/** The text has changed: its vector is deleted, and the version is examined again. */
export function rewriteVectors(send: Send, tenantId: string, v: SealedRewrite): Promise<unknown>[] {
  return [eraseVectors(send, tenantId, [v]), send(sql.setBack, [tenantId, v.recordedPosition - 1])]
}

type NearRow = { entry_id: string; version: number; vector: Uint8Array }

type Parts = {
  readonly read: Pick<Storage, 'versions' | 'listMatching'>
  /** Null where the database has no extension for it. */
  readonly index: NearIndex | null
  /** Up to so many vectors a ref is searched exactly. */
  readonly exactMax: number
}

export function createVectorStore(database: Database, { read, index, exactMax }: Parts): VectorStore {
  const { recordedAfter, save } = index === null ? sql : vectorsWithNear
  const atomically = <T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> =>
    database.transaction(tenantId, 'vectors', work).catch((error: unknown) => {
      throw toStorageError(error)
    })
  async function compareNewest(asked: NearQuery): Promise<readonly NearVersion[]> {
    const { tenantId, memoryRef, space, vector, position, access } = asked
    const values = [tenantId, memoryRef, space.model, space.dimensions, position, limits.searchVectorsMax]
    const rows =
      access.reader === null
        ? await query<NearRow>(database, sql.nearest, values)
        : await query<NearRow>(database, sql.nearestFor, [...values, access.reader])
    return takeNearest(
      asked,
      rows.map((row) => toCompared(row, vector)),
      read.versions,
    )
  }

  /** The nearest of all versions with a tag; null when there are too many to compare one by one. */
  async function compareTagged(asked: NearQuery, tag: string): Promise<readonly NearVersion[] | null> {
    const { tenantId, memoryRef, space, vector, position } = asked
    const key = tagKey(tenantId, memoryRef, tag)
    const few = [tenantId, key, exactMax + 1]
    const [row] = await query<{ count: number }>(database, sql.countTagged, few)
    if ((row?.count ?? 0) > exactMax) return null
    const values = [tenantId, memoryRef, key, position, space.model, space.dimensions]
    const rows = await query<NearRow>(database, sql.tagged, values)
    return takeNearest(
      asked,
      rows.map((one) => toCompared(one, vector)),
      read.versions,
    )
  }

  const similarities: VectorStore['similarities'] = async ({ tenantId, memoryRef, space, vector, places }) => {
    const keys = [places.map((v) => v.createdPosition), places.map((v) => v.ordinal), places.map((v) => v.version)]
    const values = [tenantId, memoryRef, ...keys, space.model, space.dimensions]
    const rows = await query<{ vector: Uint8Array | null }>(database, sql.ofPlaces, values)
    return rows.map((row) => (row.vector === null ? null : cosineSimilarity(vector, vectorFromBytes(row.vector))))
  }

  /** Whether a ref has enough vectors for the index, and all of them are in it. */
  async function isLarge({ tenantId, memoryRef, space }: NearQuery): Promise<boolean> {
    if (index === null || !(await index.isReady(space.dimensions))) return false
    const [row] = await query<{ is_large: boolean }>(database, unnamedStatement(isLargeSql), [
      tenantId,
      memoryRef,
      exactMax,
    ])
    return row?.is_large === true
  }

  return {
    async begin(tenantId, { model, dimensions }) {
      await index?.ensure(dimensions)
      return atomically(tenantId, async ({ send, commit }) => {
        const values = [tenantId, model, dimensions]
        const dropped = send(sql.dropOthers, values)
        const begun = send<{ position: number }>(sql.begin, values)
        await commit(dropped, begun)
        return (await begun).rows[0]?.position ?? 0
      })
    },
    async reached(tenantId, { model, dimensions }) {
      const [row] = await query<{ position: number }>(database, sql.reached, [tenantId, model, dimensions])
      return row?.position ?? 0
    },
    async reach(tenantId, { model, dimensions }, from, to) {
      return (await query(database, sql.reach, [tenantId, model, dimensions, from, to])).length > 0
    },
    async pending({ tenantId, space: { model, dimensions }, madeSince, after, limit }) {
      const { recordedPosition, entryId, version } = after
      const values = [tenantId, recordedPosition, entryId, version, limit, model, dimensions, madeSince]
      const looked = await query<VersionRow & { is_pending: boolean }>(database, recordedAfter, values)
      const last = looked.at(-1)
      return { versions: looked.filter((row) => row.is_pending).map(toVersion), last: last ? toVersion(last) : null }
    },
    async known({ tenantId, space: { model, dimensions }, madeSince, contentHashes }) {
      const values = [tenantId, contentHashes, model, dimensions, madeSince]
      const rows = await query<{ content_hash: string; vector: Uint8Array }>(database, sql.known, values)
      return new Map(rows.map((row) => [row.content_hash, vectorFromBytes(row.vector)]))
    },
    async save(tenantId, { model, dimensions }, madeAt, vectors) {
      const texts = [vectors.map((v) => v.entryId), vectors.map((v) => v.version), vectors.map((v) => v.content)]
      const hashes = vectors.map((v) => v.contentHash)
      const bytes = vectors.map((v) => Buffer.from(vectorToBytes(v.vector)))
      return atomically(tenantId, async ({ send, commit }) => {
        const held = send(sql.hold, [tenantId, ...texts])
        const near = index === null ? [] : [vectors.map((v) => toNear(v.vector))]
        const saved = send(save, [tenantId, ...texts, hashes, bytes, model, dimensions, madeAt, ...near])
        await commit(held, saved)
        return (await saved).rowCount ?? 0
      })
    },
    async nearest(asked) {
      if (!(await isLarge(asked))) return compareNewest(asked)
      const tag = asked.where === undefined ? null : requiredTag(asked.where)
      const tagged = tag === null ? null : await compareTagged(asked, tag)
      const compareMatches = (filter: EntryFilter) => compareMatching(asked, filter, { ...read, similarities })
      return tagged ?? nearestByIndex(database, asked, compareMatches)
    },
    similarities,
    method: () => (index === null ? 'scan' : 'hnsw'),
    async removeOthers(tenantId, { model, dimensions }, limit) {
      return (await query(database, sql.removeOthers, [tenantId, model, dimensions, limit])).length
    },
    counts: (tenantId) => query<VectorSpace & { vectors: number }>(database, sql.counts, [tenantId]),
    async versions(tenantId, after) {
      const [row] = await query<{ versions: number; waiting: number }>(database, sql.countVersions, [tenantId, after])
      return row ?? { versions: 0, waiting: 0 }
    },
  }
}

function toCompared({ entry_id, version, vector }: NearRow, asked: Float32Array): ComparedVector {
  return { entryId: entry_id, version, similarity: cosineSimilarity(asked, vectorFromBytes(vector)) }
}
