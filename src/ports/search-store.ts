import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { SearchFilter } from '../core/search/filter.ts'
import type { QueryTerm } from '../core/search/query.ts'

export type FindQuery = {
  readonly tenantId: string
  readonly memoryRef: string
  readonly position: number
  readonly now: number
  readonly terms: readonly QueryTerm[]
  /** Each a run of terms that must stand side by side. */
  readonly phrases: readonly (readonly string[])[]
  readonly filter: SearchFilter
  /** How many rows of one term are looked at, newest first. */
  readonly postingsMax: number
  /** How many rows are fetched, best first, to find those that are visible and wanted. */
  readonly examinedMax: number
  readonly foundMax: number
  /** How many rows that are not indexed yet may be gone through. */
  readonly unindexedMax: number
}

export type FoundRow = { readonly version: EntryVersion; readonly terms: readonly string[] }

/** What stands around a find, as far as ranking looks at it: there are many of them, and few are shown. */
export type SpokenVersion = Pick<
  EntryVersion,
  'entryId' | 'version' | 'content' | 'createdAt' | 'createdPosition' | 'ordinal' | 'classification'
>
export type SpokenRow = { readonly version: SpokenVersion; readonly terms: readonly string[] }

export type Found = {
  /** Versions recorded in the scope up to the position. */
  readonly entries: number
  /** In how many of those each term occurs, in the order of the query's terms. */
  readonly frequencies: readonly number[]
  readonly rows: readonly FoundRow[]
  /** Rows of the scope that are not indexed yet. */
  readonly unindexed: number
}

export type Waiting = { readonly tenantId: string; readonly memoryRef: string; readonly rows: number }

/**
 * Finds entries by their terms. What is stored is found at once: rows that are not indexed yet are gone through one by
 * one, so when they are indexed changes the cost of a search and nothing of its answer.
 */
export interface SearchStore {
  /** Null when more rows wait for the index than may be gone through: index some first. */
  find(query: FindQuery): Promise<Found | null>
  /** For each place what stands around it in the ref and is visible: up to `reach` older and newer entries, oldest first. */
  around(query: {
    tenantId: string
    memoryRef: string
    position: number
    now: number
    places: readonly Place[]
    reach: number
  }): Promise<readonly (readonly SpokenRow[])[]>
  /** Indexes the oldest waiting rows of a scope; says how many it did. */
  index(tenantId: string, memoryRef: string, rowsMax: number): Promise<number>
  /** Scopes with rows that wait, in order, each with their number up to `rowsMax`. */
  waiting(query: {
    after: Pick<Waiting, 'tenantId' | 'memoryRef'> | null
    rowsMax: number
    limit: number
  }): Promise<readonly Waiting[]>
}
