import type { VersionKey } from '../core/commit/batch.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'

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

export type NearVersion = { readonly entryId: string; readonly version: number; readonly similarity: number }

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
  /** The similarity of the vectors of a ref as of a position: an exact scan of the newest `rowsMax`. Vectors have length 1. */
  nearest(query: {
    tenantId: string
    memoryRef: string
    space: VectorSpace
    vector: Float32Array
    position: number
    rowsMax: number
    /** Only what this reader may see; null for everything. */
    reader: string | null
  }): Promise<readonly NearVersion[]>
  /** Deletes up to `limit` vectors of other spaces; returns how many. */
  removeOthers(tenantId: string, space: VectorSpace, limit: number): Promise<number>
  /** How many vectors a tenant has, by space. */
  counts(tenantId: string): Promise<readonly (VectorSpace & { readonly vectors: number })[]>
  /** How many versions a tenant has, and how many of them were recorded after a position. */
  versions(tenantId: string, after: number): Promise<{ readonly versions: number; readonly waiting: number }>
}
