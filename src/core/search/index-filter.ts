import type { EntryVersion } from '../entries/entry.ts'
import { limits } from '../limits.ts'
import type { SearchFilter } from './filter.ts'
import { filterKeysOf, requiredFilterKeys } from './filter-keys.ts'

/** The conditions that the index checks in addition to the query terms: one filter key of each list, and all of the terms. */
export type IndexFilter = {
  readonly marks: readonly (readonly string[])[]
  readonly terms: readonly string[]
}

/**
 * The index conditions of a query; null when there are none. Of a phrase the terms are required here, their order is
 * checked later.
 */
export function indexFilterOf(query: {
  readonly memoryRef: string
  readonly filter: SearchFilter
  readonly phrases: readonly (readonly string[])[]
  readonly now: number
}): IndexFilter | null {
  const marks = requiredFilterKeys(query.filter, query.now, query.memoryRef)
  const terms = [...new Set(query.phrases.flat())].slice(0, limits.searchTermsMax)
  return marks.length === 0 && terms.length === 0 ? null : { marks, terms }
}

/** Checks the same conditions for a row that is not indexed yet. */
export function passesIndexFilter(
  { marks, terms }: IndexFilter,
  row: { readonly version: EntryVersion; readonly terms: readonly string[] },
): boolean {
  const own = new Set(marks.length === 0 ? [] : filterKeysOf(row.version))
  return marks.every((keys) => keys.some((key) => own.has(key))) && terms.every((term) => row.terms.includes(term))
}
