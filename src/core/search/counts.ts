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

/** Where a word of a text counts: as itself, or for others that were asked. */
type Slot = { place: number | null; readonly related: { readonly place: number; readonly share: number }[] }

/** What was asked, by place, with what each is worth, and what was counted so far. */
export type QueryIndex = {
  readonly slots: ReadonlyMap<string, Readonly<Slot>>
  readonly prefixes: readonly (readonly [start: string, place: number])[]
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
  const slots = new Map<string, Slot>()
  const slotOf = (stem: string): Slot => {
    const slot = slots.get(stem) ?? { place: null, related: [] }
    slots.set(stem, slot)
    return slot
  }
  for (const [place, { stem, prefix }] of asked.entries()) if (!prefix) slotOf(stem).place = place
  for (const { stem, related = [] } of terms) {
    for (const { to, closeness } of related) {
      const place = places.get(to)
      if (place === undefined) continue
      // A common word says little about a rare one, however close they are.
      const share = relatedShare * closeness * Math.min(1, worthOf(stem) / (worth[place] || 1))
      slotOf(stem).related.push({ place, share })
    }
  }
  return {
    slots,
    prefixes: asked.flatMap(({ stem, prefix }, place) => (prefix ? [[stem, place] as const] : [])),
    worth,
    total: worth.reduce((sum, one) => sum + one, 0) || 1,
    counted: new Map(),
  }
}

/** How often a memory has each term that was asked; a related word counts where the asked one is missing. */
export function countsOf(index: QueryIndex, { id, terms }: SearchRow): Float64Array {
  const known = index.counted.get(id)
  if (known) return known
  const { slots, prefixes, worth } = index
  const counts = new Float64Array(worth.length)
  let shares: Float64Array | null = null
  for (const term of terms) {
    for (const [start, at] of prefixes) if (term.startsWith(start)) counts[at] = (counts[at] ?? 0) + 1
    const slot = slots.get(term)
    if (slot === undefined) continue
    if (slot.place !== null) counts[slot.place] = (counts[slot.place] ?? 0) + 1
    for (const { place, share } of slot.related) {
      shares ??= new Float64Array(worth.length)
      shares[place] = Math.max(shares[place] ?? 0, share)
    }
  }
  if (shares) for (const [place, share] of shares.entries()) counts[place] = counts[place] || share
  index.counted.set(id, counts)
  return counts
}
