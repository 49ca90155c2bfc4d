import type { EntryVersion } from '../entries/entry.ts'
import { limits } from '../limits.ts'
import type { SearchFilter } from './filter.ts'
import { marksOf, wantedMarks } from './marks.ts'

/** What a row must have besides a term that was asked, to be looked at: one mark of each list, and all of the terms. */
export type Narrowing = {
  readonly marks: readonly (readonly string[])[]
  readonly terms: readonly string[]
}

/** Null when any row will do. Of a phrase its terms are wanted; that they stand side by side is seen later. */
export function narrowingOf(query: {
  readonly filter: SearchFilter
  readonly phrases: readonly (readonly string[])[]
  readonly now: number
}): Narrowing | null {
  const marks = wantedMarks(query.filter, query.now)
  const terms = [...new Set(query.phrases.flat())].slice(0, limits.searchTermsMax)
  return marks.length === 0 && terms.length === 0 ? null : { marks, terms }
}

/** What the index says of a row that is in it, for one that is not. */
export function isWithin(
  { marks, terms }: Narrowing,
  row: { readonly version: EntryVersion; readonly terms: readonly string[] },
): boolean {
  const own = new Set(marks.length === 0 ? [] : marksOf(row.version))
  return marks.every((any) => any.some((one) => own.has(one))) && terms.every((term) => row.terms.includes(term))
}
