import type { VersionKey } from '../core/commit/batch.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'

/** Vectors can be compared only within one space: what one model makes, in the length it makes them. */
export type VectorSpace = { readonly model: string; readonly dimensions: number }

/** Where a version stands in the order in which versions were recorded. */
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

/** One vector for a version, made after it was stored and deleted with it. A text that is rewritten loses its vector. */
export interface VectorStore {
  /** The position up to which every version has been looked at; a space that is new forgets how far others were. */
  begin(tenantId: string, space: VectorSpace): Promise<number>
  /** The same, without beginning anything. */
  reached(tenantId: string, space: VectorSpace): Promise<number>
  /** Moves it on, unless a rewritten text has set it back: then false. */
  reach(tenantId: string, space: VectorSpace, from: number, to: number): Promise<boolean>
  /** Looks at the next versions in the order they were recorded: which of them have no vector of the space, or one made before. */
  pending(query: {
    tenantId: string
    space: VectorSpace
    madeSince: number
    after: RecordedPlace
    /** How many versions are looked at. */
    limit: number
  }): Promise<{ readonly versions: readonly EntryVersion[]; readonly last: RecordedPlace | null }>
  /** Vectors of the space that were made of the same texts, by the digest of the text. */
  known(query: {
    tenantId: string
    space: VectorSpace
    madeSince: number
    contentHashes: readonly string[]
  }): Promise<ReadonlyMap<string, Float32Array>>
  /** Keeps vectors of versions that are still there and still say the same; says how many. */
  save(tenantId: string, space: VectorSpace, madeAt: number, vectors: readonly NewVector[]): Promise<number>
  /** How near the vectors of a ref are, at a position: an exact scan of the newest `rowsMax`. Vectors have length 1. */
  nearest(query: {
    tenantId: string
    memoryRef: string
    space: VectorSpace
    vector: Float32Array
    position: number
    rowsMax: number
  }): Promise<readonly NearVersion[]>
  /** Deletes vectors of other spaces; says how many. */
  removeOthers(tenantId: string, space: VectorSpace, limit: number): Promise<number>
  /** How many vectors a tenant has, by space. */
  counts(tenantId: string): Promise<readonly (VectorSpace & { readonly vectors: number })[]>
  /** How many versions a tenant has, and how many of them were recorded after a position. */
  versions(tenantId: string, after: number): Promise<{ readonly versions: number; readonly waiting: number }>
}
