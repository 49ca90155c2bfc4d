import type { VersionKey } from '../../core/commit/batch.ts'
import { isAccessible } from '../../core/entries/access.ts'
import { isExpired, isVisibleAt } from '../../core/entries/as-of.ts'
import type { Place } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import {
  documentFrequency,
  type PostingList,
  type ScopeSize,
  selectCandidateRows,
} from '../../core/search/candidate-rows.ts'
import { matchesFilter } from '../../core/search/filter.ts'
import { type IndexFilter, indexFilterOf, passesIndexFilter } from '../../core/search/index-filter.ts'
import { hasPhrase, hasTerm } from '../../core/search/indexed-terms.ts'
import type { QueryTerm } from '../../core/search/query.ts'
import { isLoose, termShares } from '../../core/search/term-weights.ts'
import type { FindQuery, FoundCandidates, FoundRow, NeighbourRow } from '../../ports/search-store.ts'

/** A scope at one moment: its indexed rows, and those that are not indexed yet. The latter have the numbers after the indexed ones. */
export type SearchedScope = {
  readonly indexed: ScopeSize
  readonly waiting: readonly FoundRow[]
  /** Whether a row that waits matches `where` of the filter; absent when there is none. */
  readonly isWaitingMatch?: ((version: Pick<VersionKey, 'entryId' | 'version'>) => boolean) | undefined
  /** The rows with a term, newest first: of those within the narrowing, if there is one. */
  readonly postings: (term: QueryTerm, limit: number, narrowing: IndexFilter | null) => PostingList
}

/** The numbers up to one. Rows that wait get the numbers after the indexed ones, so numbers of hidden ones among them mean nothing. */
export function upTo(numbers: ReadonlySet<number>, last: number): ReadonlySet<number> {
  return numbers.size === 0 ? numbers : new Set([...numbers].filter((nth) => nth <= last))
}

/** The rows that wait, or null when they are too many, or too long, to go through. */
export function takeWaiting<Row extends { readonly content: string }>(
  waiting: Iterable<Row>,
  rowsMax: number,
): Row[] | null {
  const rows: Row[] = []
  let characters = 0
  for (const row of waiting) {
    characters += row.content.length
    if (rows.length === rowsMax || characters > limits.searchUnindexedCharactersMax) return null
    rows.push(row)
  }
  return rows
}

/** Which rows to fetch, best first, and the figures of the scope. */
export type SearchPlan = {
  readonly found: Omit<FoundCandidates, 'rows' | 'isCutShort'>
  /** The rows within the index conditions of the query. */
  readonly order: () => readonly number[]
  /**
   * At most so many rows, of which some are outside of those conditions; the others are in the same order. Null when the query has no
   * conditions. A condition that most rows meet costs much to look up and leaves out little.
   */
  readonly unfiltered: (rowsMax: number) => readonly number[] | null
}

/** The same for every store, so all give the same result. */
export function toPlan(query: FindQuery, { indexed, waiting, postings }: SearchedScope): SearchPlan {
  const size = { ...indexed, entries: indexed.entries + waiting.length, newest: indexed.newest + waiting.length }
  const listOf = (term: QueryTerm, narrowing: IndexFilter | null): PostingList => {
    const isWanted = (row: FoundRow) =>
      hasTerm(row.terms, term) && (narrowing === null || passesIndexFilter(narrowing, row))
    const fresh = waiting.flatMap((row, at) => (isWanted(row) ? [indexed.newest + at + 1] : [])).reverse()
    const max = postingsMaxOf(query, term)
    const older = postings(term, Math.max(0, max - fresh.length), narrowing)
    if (fresh.length === 0) return older
    const rows = new Uint32Array(fresh.length + older.rows.length)
    rows.set(fresh)
    rows.set(older.rows, fresh.length)
    return { rows: rows.subarray(0, max), isCut: older.isCut || rows.length > max }
  }
  // How common a word is does not depend on the rest of the query.
  const lists = query.terms.map((term) => listOf(term, null))
  const frequencies = lists.map((list) => documentFrequency(list, size))
  const narrowing = indexFilterOf(query)
  const narrowed: (PostingList | undefined)[] = []
  const shares = termShares(query.terms, frequencies)
  const orderOf = (isNarrowed: (list: PostingList) => boolean, rowsMax: number) => {
    const finding = query.terms.map((term, at): PostingList => {
      const list = lists[at] as PostingList
      // A related word that is in most rows would match all of them.
      if (shares[at] === 0 || (isLoose(term) && list.isCut)) return { ...list, rows: [] }
      if (!isNarrowed(list)) return list
      narrowed[at] ??= listOf(term, narrowing)
      return narrowed[at]
    })
    return selectCandidateRows(finding, frequencies, size, rowsMax, shares)
  }
  return {
    found: { entries: size.entries, frequencies, unindexed: waiting.length },
    order: () => orderOf(() => narrowing !== null, query.examinedMax),
    // A list that was cut may end before the rows that are wanted.
    unfiltered: (rowsMax) => (narrowing === null ? null : orderOf(({ isCut }) => isCut, rowsMax)),
  }
}

/** The rows to fetch, best first, and the figures of the scope. */
export function toFound(
  query: FindQuery,
  scope: SearchedScope,
): { readonly order: readonly number[]; readonly found: Omit<FoundCandidates, 'rows' | 'isCutShort'> } {
  const { found, order } = toPlan(query, scope)
  return { found, order: order() }
}

/** How many rows of a term are looked at. */
export function postingsMaxOf({ postingsMax }: Pick<FindQuery, 'postingsMax'>, term: QueryTerm): number {
  return isLoose(term) ? Math.min(limits.searchRelatedPostingsMax, postingsMax) : postingsMax
}

/** Rows that are fetched without the index conditions of a query, for each that is wanted, before these are looked up. */
const unfilteredPerFound = 4

/** Fetches the rows of a plan until enough of them may be found. */
export function examinePlan(
  query: FindQuery,
  scope: SearchedScope,
  plan: SearchPlan,
  fetch: (nth: number) => FoundRow | undefined,
): Pick<FoundCandidates, 'rows' | 'isCutShort'> {
  const rowsMax = Math.min(query.examinedMax, unfilteredPerFound * query.foundMax)
  const unfiltered = plan.unfiltered(rowsMax + 1)
  if (unfiltered !== null) {
    const rows = examine(query, scope, unfiltered.slice(0, rowsMax), fetch)
    // Enough, or all that there are: with the conditions looked up, they are the same.
    if (rows.length >= query.foundMax || unfiltered.length <= rowsMax) return { rows, isCutShort: false }
  }
  const order = plan.order()
  const rows = examine(query, scope, order, fetch)
  return { rows, isCutShort: isCutShort(query, order, rows) }
}

/** Fetches rows in their order until enough of them may be found. `fetch` gives rows that match `where` of the filter only. */
export function examine(
  query: FindQuery,
  { indexed, waiting, isWaitingMatch }: SearchedScope,
  order: readonly number[],
  fetch: (nth: number) => FoundRow | undefined,
): FoundRow[] {
  const rows: FoundRow[] = []
  for (const nth of order) {
    if (rows.length >= query.foundMax) break
    const isWaiting = nth > indexed.newest
    const row = isWaiting ? waiting[nth - indexed.newest - 1] : fetch(nth)
    const isWanted = row && isFound(query, row) && (!isWaiting || (isWaitingMatch?.(row.version) ?? true))
    if (isWanted) rows.push(row)
  }
  return rows
}

function isFound(query: FindQuery, row: FoundRow): boolean {
  const { version } = row
  return (
    isVisibleAt(version, query.position) &&
    !isExpired(version, query.now) &&
    isAccessible(version, query.access) &&
    matchesFilter(version, query.filter) &&
    query.phrases.every((phrase) => hasPhrase(row.terms, phrase))
  )
}

/** Whether rows were left unexamined although more were wanted. */
export function isCutShort(query: FindQuery, order: readonly number[], rows: readonly FoundRow[]): boolean {
  return order.length >= query.examinedMax && rows.length < query.foundMax
}

/** Whether a version is among those with these keys. */
export function createVersionSet(keys: readonly Pick<VersionKey, 'entryId' | 'version'>[]) {
  const keyOf = ({ entryId, version }: Pick<VersionKey, 'entryId' | 'version'>) => `${version} ${entryId}`
  const all = new Set(keys.map(keyOf))
  return (version: Pick<VersionKey, 'entryId' | 'version'>): boolean => all.has(keyOf(version))
}

type Beside = (place: Place, limit: number) => NeighbourRow[]

/** How many rows are read at once where finds stand close together. */
const readAhead = 16

/**
 * The rows around each place, read once where places are near each other: `older` gives rows from a place backwards,
 * `newer` forwards.
 */
export function readAround(places: readonly Place[], reach: number, older: Beside, newer: Beside): NeighbourRow[][] {
  const around: NeighbourRow[][] = places.map(() => [])
  const inOrder = places.map((place, at) => ({ place, at })).sort((a, b) => comparePlaces(a.place, b.place))
  let rows: NeighbourRow[] = []
  let isLast = false
  for (const [nth, { place, at }] of inOrder.entries()) {
    // Every row costs a lookup, and most finds of a large ref have no other find near them: rows that a find does not need are not read.
    const ahead = isNear(place, inOrder[nth + 1]?.place) ? readAhead : reach + 1
    let own = rows.findIndex(({ version }) => comparePlaces(version, place) === 0)
    if (own < 0) {
      const before = older(place, reach).reverse()
      const from = newer({ ...place, ordinal: place.ordinal - 1 }, ahead)
      rows = [...before, ...from]
      isLast = from.length < ahead
      own = rows.findIndex(({ version }) => comparePlaces(version, place) === 0)
      if (own < 0) continue
    }
    const end = rows.at(-1)
    if (!isLast && end && rows.length - 1 - own < reach) {
      const more = newer(end.version, readAhead)
      rows.push(...more)
      isLast = more.length < readAhead
    }
    around[at] = [...rows.slice(Math.max(0, own - reach), own), ...rows.slice(own + 1, own + 1 + reach)]
  }
  return around
}

function isNear(place: Place, next: Place | undefined): boolean {
  if (next === undefined) return false
  return next.createdPosition === place.createdPosition
    ? next.ordinal - place.ordinal < readAhead
    : next.createdPosition - place.createdPosition < readAhead
}

function comparePlaces(a: Place, b: Place): number {
  return a.createdPosition - b.createdPosition || a.ordinal - b.ordinal
}
