import type { SearchRow } from './candidate.ts'
import type { SearchQuery } from './query.ts'

/** Of the searched scope only: what other tenants, users or memories hold changes no order. */
export type SearchStatistics = {
  readonly entries: number
  /** In how many entries of the scope each term of the query occurs; for a prefix, any term that begins so. */
  readonly frequency: ReadonlyMap<string, number>
}

/** The terms of a query with what each is worth, and what was counted so far. */
export type QueryIndex = {
  readonly places: ReadonlyMap<string, number>
  readonly prefixes: readonly (readonly [start: string, place: number])[]
  readonly idf: readonly number[]
  readonly counted: Map<string, Float64Array>
}

export function indexQuery({ terms }: SearchQuery, { entries, frequency }: SearchStatistics): QueryIndex {
  return {
    places: new Map(terms.flatMap(({ stem, prefix }, place) => (prefix ? [] : [[stem, place] as const]))),
    prefixes: terms.flatMap(({ stem, prefix }, place) => (prefix ? [[stem, place] as const] : [])),
    idf: terms.map(({ stem }) => {
      const found = Math.min(frequency.get(stem) ?? 0, entries)
      return Math.log(1 + (entries - found + 0.5) / (found + 0.5))
    }),
    counted: new Map(),
  }
}

/** How often a memory has each term of the query. */
export function countsOf(index: QueryIndex, { id, terms }: SearchRow): Float64Array {
  const known = index.counted.get(id)
  if (known) return known
  const counts = new Float64Array(index.idf.length)
  for (const term of terms) {
    const place = index.places.get(term)
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1
    for (const [start, at] of index.prefixes) if (term.startsWith(start)) counts[at] = (counts[at] ?? 0) + 1
  }
  index.counted.set(id, counts)
  return counts
}
