import type { SearchRow } from './candidate.ts'
import type { QueryTerm, TermRelation } from './query.ts'

/** Collection statistics of the searched scope only: other tenants, users and refs do not influence the ranking. */
export type SearchStatistics = {
  readonly entries: number
  /** Document frequency: in how many entries of the scope each query term occurs. For a prefix, any term with that prefix. */
  readonly frequency: ReadonlyMap<string, number>
}

/** The maximum weight of a related term, as a share of the query term's weight. */
const relatedShare = 0.35
/** The share of a name that can mean the same person: not every Bob is a Robert. */
const nameShare = 0.7

/**
 * The share of a query term's weight that each term has, before their frequencies are compared; 0 if it is not used: a name that can mean the same
 * person is a guess, and only made if no entry has the name of the query.
 */
export function termShares(terms: readonly QueryTerm[], frequencies: readonly number[]): number[] {
  const frequency = new Map(terms.map(({ stem }, at) => [stem, frequencies[at] ?? 0]))
  return terms.map(({ related }) =>
    related === undefined ? 1 : Math.max(0, ...related.filter((one) => isUsed(one, frequency)).map(shareOf)),
  )
}

function isUsed({ kind, to }: TermRelation, frequency: ReadonlyMap<string, number>): boolean {
  return kind !== 'name' || (frequency.get(to) ?? 0) === 0
}

/** Whether a term is only related to one of the query, and no form of it: then a common one finds nothing. */
export function isLoose({ related }: QueryTerm): boolean {
  return related?.every(({ kind }) => kind !== 'form') ?? false
}

function shareOf({ closeness, kind }: TermRelation): number {
  return kind === undefined ? relatedShare * closeness : kind === 'form' ? 1 : nameShare
}

/** Which query terms a term of a text counts for: itself, or others that it is related to. */
type Slot = { term: number | null; readonly related: { readonly term: number; readonly share: number }[] }

/** The query terms by number, with their weights, and a cache of the term frequencies of rows. */
export type TermWeights = {
  readonly slots: ReadonlyMap<string, Readonly<Slot>>
  readonly prefixes: readonly (readonly [start: string, term: number])[]
  /** Inverse document frequency: rare terms weigh more. */
  readonly idf: readonly number[]
  readonly total: number
  readonly counted: Map<string, TermMatches>
  /** Room for a sum of each query term: it is written anew for every candidate. */
  readonly sums: Float64Array
  /** Of every row that has no term of the query: most neighbours have none. */
  readonly none: TermMatches
}

/** Where the query terms occur in a row. */
export type TermMatches = {
  /** The term frequency of each query term. A related term counts only when the query term itself is missing. */
  readonly counts: readonly number[]
  /** The places in the row's terms, ascending, and for each the query term found there. Related terms are not listed. */
  readonly places: readonly number[]
  readonly found: readonly number[]
}

/** Weighs the terms of a query by the statistics of the searched scope. */
export function weighTerms(terms: readonly QueryTerm[], { entries, frequency }: SearchStatistics): TermWeights {
  const idfOf = (stem: string) => {
    const found = Math.min(frequency.get(stem) ?? 0, entries)
    return Math.log(1 + (entries - found + 0.5) / (found + 0.5))
  }
  const queryTerms = terms.filter(({ related }) => related === undefined)
  const numbers = new Map(queryTerms.map(({ stem }, term) => [stem, term]))
  const idf = queryTerms.map(({ stem }) => idfOf(stem))
  const slots = new Map<string, Slot>()
  const slotOf = (stem: string): Slot => {
    const slot = slots.get(stem) ?? { term: null, related: [] }
    slots.set(stem, slot)
    return slot
  }
  for (const [term, { stem, prefix }] of queryTerms.entries()) if (!prefix) slotOf(stem).term = term
  for (const { stem, related = [] } of terms) {
    for (const relation of related) {
      const term = numbers.get(relation.to)
      if (term === undefined || !isUsed(relation, frequency)) continue
      // A common term says little about a rare one, however closely they are related. Another form is the word itself.
      const share = relation.kind === 'form' ? 1 : shareOf(relation) * Math.min(1, idfOf(stem) / (idf[term] || 1))
      slotOf(stem).related.push({ term, share })
    }
  }
  return {
    slots,
    prefixes: queryTerms.flatMap(({ stem, prefix }, term) => (prefix ? [[stem, term] as const] : [])),
    idf,
    total: idf.reduce((sum, one) => sum + one, 0) || 1,
    counted: new Map(),
    sums: new Float64Array(idf.length),
    none: { counts: idf.map(() => 0), places: [], found: [] },
  }
}

/** Finds the query terms in a row. */
export function termMatches(index: TermWeights, { id, terms }: SearchRow): TermMatches {
  const known = index.counted.get(id)
  if (known) return known
  const first = firstMatch(index, terms)
  const matches = first === -1 ? index.none : findMatches(index, terms, first)
  index.counted.set(id, matches)
  return matches
}

/** The first place with a term that counts; -1 if there is none. */
function firstMatch({ slots, prefixes }: TermWeights, terms: readonly string[]): number {
  for (let place = 0; place < terms.length; place++) {
    const term = terms[place] as string
    if (slots.has(term)) return place
    for (const [start] of prefixes) if (term.startsWith(start)) return place
  }
  return -1
}

function findMatches({ slots, prefixes, idf }: TermWeights, terms: readonly string[], first: number): TermMatches {
  const counts = idf.map(() => 0)
  const places: number[] = []
  const found: number[] = []
  let shares: number[] | null = null
  const note = (place: number, term: number) => {
    counts[term] = (counts[term] ?? 0) + 1
    places.push(place)
    found.push(term)
  }
  for (let place = first; place < terms.length; place++) {
    const term = terms[place] as string
    for (const [start, at] of prefixes) if (term.startsWith(start)) note(place, at)
    const slot = slots.get(term)
    if (slot === undefined) continue
    if (slot.term !== null) note(place, slot.term)
    for (const { term: other, share } of slot.related) {
      shares ??= idf.map(() => 0)
      shares[other] = Math.max(shares[other] ?? 0, share)
    }
  }
  if (shares) for (const [number, share] of shares.entries()) counts[number] = counts[number] || share
  return { counts, places, found }
}

/** The stems of query terms that a text has. A set of all its terms would take longer than reading them. */
export function stemsAmong(queryTerms: readonly { readonly stem: string }[], terms: readonly string[]): Set<string> {
  const wanted = new Set(queryTerms.map(({ stem }) => stem))
  const found = new Set<string>()
  for (const term of terms) if (wanted.has(term)) found.add(term)
  return found
}

/** The term frequency of each query term in a row. */
export function termFrequencies(index: TermWeights, row: SearchRow): readonly number[] {
  return termMatches(index, row).counts
}
