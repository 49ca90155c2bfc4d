import type { VersionKey } from '../core/commit/batch.ts'
import type { ReadAccess } from '../core/entries/access.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { EntryFilter } from '../core/filter/filter.ts'

/** Vectors can be compared only within one space: what one model makes, in the length it makes them. */
export type VectorSpace = { readonly model: string; readonly dimensions: number }

/** A version's place in the order in which versions were recorded. */
export type RecordedPlace = {
  readonly recordedPosition: number
  readonly entryId: string
  readonly version: number
}

export type NewVector = VersionKey &
  Place & {
    /** The text it was made of: if the version has another one by now, the vector is not kept. */
    readonly content: string
    readonly contentHash: string
    readonly vector: Float32Array
  }

/** A search for the versions of a ref whose vectors are nearest to one of length 1, as of a position. */
export type NearQuery = {
  readonly tenantId: string
  readonly memoryRef: string
  readonly space: VectorSpace
  readonly vector: Float32Array
  readonly position: number
  readonly now: number
  readonly access: ReadAccess
  /** Versions that do not match are passed over: they never take the place of one that matches. */
  readonly where: EntryFilter | undefined
  readonly limit: number
}

/** `similarity`: the cosine, always computed from the whole vectors. */
export type NearVersion = { readonly version: EntryVersion; readonly similarity: number }

/** Where a version's vector is stored. */
export type VectorPlace = Place & Pick<EntryVersion, 'entryId' | 'version'>

/**
 * How the nearest vectors of a large ref are found: `scan` compares the newest ones, `codes` estimates by one bit of each
 * number and compares the best, `hnsw` uses an index of PostgreSQL.
 */
export type VectorMethod = 'scan' | 'codes' | 'hnsw'

/** One vector for a version, made after it was stored and deleted with it. When a text is rewritten, its vector is deleted. */
export interface VectorStore {
  /** Returns the position up to which every version has been examined. For a new space that is 0, and the progress of other spaces is deleted. */
  begin(tenantId: string, space: VectorSpace): Promise<number>
  /** The same position, without storing anything. */
  reached(tenantId: string, space: VectorSpace): Promise<number>
  /** Moves that position from `from` to `to`. False if a rewritten text has moved it back meanwhile. */
  reach(tenantId: string, space: VectorSpace, from: number, to: number): Promise<boolean>
  /** Examines the next versions in the order they were recorded. Returns those that have no vector of the space, or one made before `madeSince`. */
  pending(query: {
    tenantId: string
    space: VectorSpace
    madeSince: number
    after: RecordedPlace
    /** How many versions are examined. */
    limit: number
  }): Promise<{ readonly versions: readonly EntryVersion[]; readonly last: RecordedPlace | null }>
  /** Vectors of the space that were made of the same texts, by the digest of the text. */
  known(query: {
    tenantId: string
    space: VectorSpace
    madeSince: number
    contentHashes: readonly string[]
  }): Promise<ReadonlyMap<string, Float32Array>>
  /** Stores the vectors of versions that are still stored with the same content; returns how many. */
  save(tenantId: string, space: VectorSpace, madeAt: number, vectors: readonly NewVector[]): Promise<number>
  /**
   * The visible versions whose vectors are nearest, nearest first. Exact for a small ref. For a large one a store may leave out
   * some of them, but returns `limit` versions if so many match.
   */
  nearest(query: NearQuery): Promise<readonly NearVersion[]>
  /** The similarity of each version that has a vector of the space, in the order of `places`; null for the others. */
  similarities(
    query: Pick<NearQuery, 'tenantId' | 'memoryRef' | 'space' | 'vector'> & {
      readonly places: readonly VectorPlace[]
    },
  ): Promise<readonly (number | null)[]>
  /** How this store finds the nearest vectors of a large ref now. */
  method(): VectorMethod
  /** Deletes up to `limit` vectors of other spaces; returns how many. */
  removeOthers(tenantId: string, space: VectorSpace, limit: number): Promise<number>
  /** How many vectors a tenant has, by space. */
  counts(tenantId: string): Promise<readonly (VectorSpace & { readonly vectors: number })[]>
  /** How many versions a tenant has, and how many of them were recorded after a position. */
  versions(tenantId: string, after: number): Promise<{ readonly versions: number; readonly waiting: number }>
}
