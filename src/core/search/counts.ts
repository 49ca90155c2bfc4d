import type { SearchRow } from './candidate.ts'
import type { QueryTerm } from './query.ts'

/** Of the searched scope only: what other tenants, users or memories hold changes no order. */
export type SearchStatistics = {
  readonly entries: number
  /** In how many entries of the scope each term of the query occurs; for a prefix, any term that begins so. */
  readonly frequency: ReadonlyMap<string, number>
}

/** How much a related word counts beside one that was asked, at most. */
export const relatedShare = 0.35

/** What was asked, by place, with what each is worth, and what was counted so far. */
export type QueryIndex = {
  readonly places: ReadonlyMap<string, number>
  readonly prefixes: readonly (readonly [start: string, place: number])[]
  readonly related: ReadonlyMap<string, readonly { readonly place: number; readonly share: number }[]>
  /** Rare words are worth more. */
  readonly worth: readonly number[]
  readonly total: number
  readonly counted: Map<string, Float64Array>
}

export function indexTerms(terms: readonly QueryTerm[], { entries, frequency }: SearchStatistics): QueryIndex {
  const worthOf = (stem: string) => {
    const found = Math.min(frequency.get(stem) ?? 0, entries)
    return Math.log(1 + (entries - found + 0.5) / (found + 0.5))
  }
  const asked = terms.filter(({ related }) => related === undefined)
  const places = new Map(asked.map(({ stem }, place) => [stem, place]))
  const worth = asked.map(({ stem }) => worthOf(stem))
  const related = new Map<string, { place: number; share: number }[]>()
  for (const { stem, related: asked = [] } of terms) {
    for (const { to, closeness } of asked) {
      const place = places.get(to)
      if (place === undefined) continue
      // A common word says little about a rare one, however close they are.
      const share = relatedShare * closeness * Math.min(1, worthOf(stem) / (worth[place] || 1))
      related.set(stem, [...(related.get(stem) ?? []), { place, share }])
    }
  }
  return {
    places: new Map(asked.flatMap(({ stem, prefix }, place) => (prefix ? [] : [[stem, place] as const]))),
    prefixes: asked.flatMap(({ stem, prefix }, place) => (prefix ? [[stem, place] as const] : [])),
    related,
    worth,
    total: worth.reduce((sum, one) => sum + one, 0) || 1,
    counted: new Map(),
  }
}

/** How often a memory has each term that was asked; a related word counts where the asked one is missing. */
export function countsOf(index: QueryIndex, { id, terms }: SearchRow): Float64Array {
  const known = index.counted.get(id)
  if (known) return known
  const counts = new Float64Array(index.worth.length)
  const shares = new Float64Array(index.worth.length)
  for (const term of terms) {
    const place = index.places.get(term)
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1
    for (const [start, at] of index.prefixes) if (term.startsWith(start)) counts[at] = (counts[at] ?? 0) + 1
    for (const { place: at, share } of index.related.get(term) ?? []) shares[at] = Math.max(shares[at] ?? 0, share)
  }
  for (let place = 0; place < counts.length; place++) counts[place] = counts[place] || (shares[place] ?? 0)
  index.counted.set(id, counts)
  return counts
}
