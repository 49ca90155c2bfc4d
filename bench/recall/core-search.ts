import { limits } from '../../src/core/limits.ts'
import {
  type ConversationSegment,
  candidatesOf,
  neighbourReach,
  type SearchRow,
} from '../../src/core/search/candidate.ts'
import { type PostingList, selectCandidateRows } from '../../src/core/search/candidate-rows.ts'
import { hasTerm, lookupTerms } from '../../src/core/search/indexed-terms.ts'
import { parseQuery, type QueryTerm, type SearchQuery } from '../../src/core/search/query.ts'
import { type RankedCandidate, rank } from '../../src/core/search/rank.ts'
import { utteranceOf } from '../../src/core/search/speaker.ts'
import { spellingStarts, withSpellings } from '../../src/core/search/spelling.ts'
import { isLoose, type SearchStatistics, termShares } from '../../src/core/search/term-weights.ts'
import type { RecallQuestion, Text } from './sets/set.ts'

/** The texts of a scope as the core ranks them, without a database. */
export type CoreScope = {
  readonly texts: readonly Text[]
  readonly rows: readonly SearchRow[]
  /** For each term the places of the texts that have it, oldest first. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

export function createCoreScope(texts: readonly Text[]): CoreScope {
  const places = new Map<string, number[]>()
  const rows = texts.map(({ id, text, observedAt, session }, at): SearchRow => {
    const { speaker, terms } = utteranceOf({ content: text })
    for (const term of new Set(terms)) {
      const list = places.get(term) ?? []
      places.set(term, list)
      list.push(at)
    }
    return { id, text, terms, speaker, observedAt: Date.parse(observedAt), sessionId: session ?? id }
  })
  return { texts, rows, places }
}

/** The similarity of texts to a question, by place. */
export type Nearness = ReadonlyMap<number, number>

/** What a search of the product ranks for a question, and in which order: the same steps as `findEntries`, in memory. */
export function searchCore(
  { texts, rows, places }: CoreScope,
  question: RecallQuestion,
  nearness?: Nearness,
  rankBy: typeof rank = rank,
): {
  readonly query: SearchQuery
  readonly statistics: SearchStatistics
  readonly ranked: readonly RankedCandidate[]
} {
  const known = question.known ?? texts.length
  const isWanted = (at: number) => {
    const text = texts[at] as Text
    return !text.isBackground && (!question.agents || question.agents.includes(text.agent ?? ''))
  }
  const parsed = withKnownSpellings(parseQuery(question.text), rows, (at) => at < known && isWanted(at))
  const { terms } = lookupTerms(parsed)
  const query = { ...parsed, terms }
  const lists = terms.map(({ stem }) => (places.get(stem) ?? []).filter((at) => at < known))
  const frequencies = lists.map((list) => list.length)
  const shares = termShares(terms, frequencies)
  const postings = lists.map((list, at): PostingList => {
    const term = terms[at]
    const isTooCommon = term && isLoose(term) && list.length > limits.searchRelatedPostingsMax
    const isUnused = shares[at] === 0
    return { rows: isTooCommon || isUnused ? [] : list.map((place) => place + 1).reverse(), isCut: false }
  })
  const size = { entries: known, newest: known }
  const found = selectCandidateRows(postings, frequencies, size, limits.searchExaminedMax, shares)
    .map((nth) => nth - 1)
    .filter(isWanted)
    .slice(0, limits.searchFoundMax)
  const near = [...(nearness ?? [])]
    .filter(([at]) => at < known && isWanted(at))
    .sort(([, a], [, b]) => b - a)
    .slice(0, limits.searchNearFoundMax)
    .map(([at]) => at)
    .filter((at) => !found.includes(at))
  const surroundedMax = near.length + limits.searchSurroundedMax
  const segments = [...near, ...found].map((at, nth) =>
    nth < surroundedMax ? segmentAround(rows, at, known) : { rows: [rows[at] as SearchRow], isFromBeginning: false },
  )
  const statistics = {
    entries: known,
    frequency: new Map(terms.map(({ stem }, at) => [stem, frequencies[at] ?? 0])),
  }
  const similarities = nearness && new Map([...nearness].map(([at, value]) => [(rows[at] as SearchRow).id, value]))
  const placeOf = new Map(rows.map(({ id }, at) => [id, at]))
  const ranked = rankBy(query, statistics, candidatesOf(segments), similarities ? { similarities } : {})
  return {
    query,
    statistics,
    ranked: ranked.filter(({ candidate }) => isWanted(placeOf.get(candidate.row.id) as number)),
  }
}

/** Other spellings for a question that finds nothing. */
function withKnownSpellings(
  query: SearchQuery,
  rows: readonly SearchRow[],
  isFound: (at: number) => boolean,
): SearchQuery {
  const having = (terms: readonly QueryTerm[]) =>
    rows.filter((row, at) => isFound(at) && terms.some((term) => hasTerm(row.terms, term)))
  if (having(lookupTerms(query).terms).length > 0) return query
  const alike = having(spellingStarts(query)).reverse()
  return withSpellings(query, alike.slice(0, limits.searchFoundMax))
}

function segmentAround(rows: readonly SearchRow[], at: number, known: number): ConversationSegment {
  const reach = 2 * neighbourReach
  const session = rows[at]?.sessionId
  let first = at
  while (first > 0 && at - first < reach && rows[first - 1]?.sessionId === session) first--
  let last = at
  while (last + 1 < known && last - at < reach && rows[last + 1]?.sessionId === session) last++
  const isFromBeginning = rows[first - 1]?.sessionId !== session
  return { rows: rows.slice(first, last + 1), isFromBeginning }
}
