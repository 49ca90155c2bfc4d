import type { ReadAccess } from '../core/entries/access.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { SearchFilter } from '../core/search/filter.ts'
import type { QueryTerm } from '../core/search/query.ts'

/** A search in one ref as of a position. `SearchStore.find` gives candidates; the core ranks them. */
export type FindQuery = {
  readonly tenantId: string
  readonly memoryRef: string
  readonly position: number
  readonly now: number
  readonly access: ReadAccess
  readonly terms: readonly QueryTerm[]
  /** Each a list of terms that must be adjacent. */
  readonly phrases: readonly (readonly string[])[]
  readonly filter: SearchFilter
  /** How many rows of one term are examined, newest first. */
  readonly postingsMax: number
  /** How many rows are fetched, best first, to find those that are visible and pass the filter. */
  readonly examinedMax: number
  readonly foundMax: number
  /** How many rows that are not indexed yet may be scanned; null to leave them out, because they cannot be indexed now. */
  readonly unindexedMax: number | null
}

/** A version that was found, and the terms of its content. */
export type FoundRow = { readonly version: EntryVersion; readonly terms: readonly string[] }

/** A version next to a found one, as far as ranking needs it: there are many of them, and few are shown. */
export type NeighbourVersion = Pick<
  EntryVersion,
  'entryId' | 'version' | 'content' | 'createdAt' | 'createdPosition' | 'ordinal' | 'classification'
>
export type NeighbourRow = { readonly version: NeighbourVersion; readonly terms: readonly string[] }

export type FoundCandidates = {
  /** Versions recorded in the scope up to the position that the reader may see: others influence neither counts nor ranking. */
  readonly entries: number
  /** In how many of those each term occurs, in the order of the query's terms. */
  readonly frequencies: readonly number[]
  readonly rows: readonly FoundRow[]
  /** True when fewer than `foundMax` were found among `examinedMax` rows, and there are more rows to examine. */
  readonly isCutShort: boolean
  /** Rows of the scope that are not indexed yet. */
  readonly unindexed: number
}

/** A ref with rows that are not indexed yet. */
export type UnindexedRef = { readonly tenantId: string; readonly memoryRef: string; readonly rows: number }

/**
 * Finds entries by their terms. A committed entry is found at once: rows that are not indexed yet are scanned one by
 * one. So the moment of indexing changes the cost of a search and never its result, unless the disk has no room for the index.
 */
export interface SearchStore {
  /** Null when more rows are not indexed than `unindexedMax`: the caller indexes some and tries again. */
  find(query: FindQuery): Promise<FoundCandidates | null>
  /** For each place the visible entries around it in the ref: up to `reach` older and `reach` newer ones, oldest first. */
  around(query: {
    tenantId: string
    memoryRef: string
    position: number
    now: number
    access: ReadAccess
    places: readonly Place[]
    reach: number
  }): Promise<readonly (readonly NeighbourRow[])[]>
  /** Indexes up to `rowsMax` of the oldest unindexed rows of a ref; returns how many. Two processes never index the same row twice. */
  index(tenantId: string, memoryRef: string, rowsMax: number): Promise<number>
  /** Refs with unindexed rows, of all tenants, in order of tenant and ref, each with their number up to `rowsMax`. */
  unindexed(query: {
    after: Pick<UnindexedRef, 'tenantId' | 'memoryRef'> | null
    rowsMax: number
    limit: number
  }): Promise<readonly UnindexedRef[]>
}
