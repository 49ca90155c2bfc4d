import { type Steps, takeSteps } from '../steps.ts'
import type { SearchCandidate } from './candidate.ts'
import { createFeatureReader, type Features } from './features.ts'
import { namedSpeakers } from './named-speaker.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import { rerank, type ScoreChanges } from './rerank.ts'
import type { Similarities } from './similarity.ts'
import { type SearchStatistics, stemsAmong, type TermWeights, termMatches, weighTerms } from './term-weights.ts'
import { type FeatureName, weightedSum, weights } from './weights.ts'

/** Optional inputs of the ranking. */
export type RankOptions = {
  /** Adds a recency score that halves with each half-life; omitted when time does not matter. */
  readonly recency?: { readonly now: number; readonly halfLifeMs: number }
  /** Vector similarities of candidates and neighbours; omitted without an embedder. */
  readonly similarities?: Similarities
}

/** How a candidate was ranked: as a message of a conversation, as a text among long ones, or as a short memory that stands alone. */
export type RankedKind = 'message' | 'text' | 'memory'

/** A candidate with its features and score. */
export type RankedCandidate = {
  readonly candidate: SearchCandidate
  readonly features: Features
  readonly score: number
  readonly kind: RankedKind
  /** What the second ranking added to the score. */
  readonly changes: ScoreChanges
  /** The features that only the second ranking computes; none of what it did not rank again. */
  readonly further: Readonly<Record<string, number>>
}

/** The explanation of a score, as a search with `explain` returns it. */
export type ScoreExplanation = {
  readonly score: number
  /** The weighted features; the score is their sum. */
  readonly parts: Readonly<Record<string, number>>
  /** The query terms and related terms that the memory itself contains. */
  readonly matched: readonly string[]
}

const recencyWeight = 2
const none: Readonly<Record<string, number>> = {}
const featureNames = Object.keys(weights) as FeatureName[]

/**
 * Ranks candidates, best first: all by their features, then the best of them again (`rerank.ts`). The order of the input does
 * not matter: of equal scores the newer memory comes first, then the smaller id.
 *
 * @example
 * const query = parseQuery('green tea')
 * rank(query, statistics, candidatesOf(segments)).map(({ candidate }) => candidate.row.id)
 */
export function rank(...asked: Parameters<typeof rankInSteps>): RankedCandidate[] {
  return takeSteps(rankInSteps(...asked))
}

/** The same in steps. Two of them for each candidate: hundreds of long texts take a tenth of a second. */
export function* rankInSteps(
  query: SearchQuery,
  statistics: SearchStatistics,
  candidates: readonly SearchCandidate[],
  options: RankOptions = {},
): Steps<RankedCandidate[]> {
  const { index, ranked } = yield* rankFirstInSteps(query, statistics, candidates, options)
  return rerank(index, ranked, byScore, options.similarities)
}

type FirstRanking = { readonly index: TermWeights; readonly ranked: RankedCandidate[] }

/** The first ranking alone: the weights of the second one are fitted to it. */
export function rankFirst(...asked: Parameters<typeof rankInSteps>): FirstRanking {
  return takeSteps(rankFirstInSteps(...asked))
}

function* rankFirstInSteps(
  query: SearchQuery,
  statistics: SearchStatistics,
  candidates: readonly SearchCandidate[],
  options: RankOptions = {},
): Steps<FirstRanking> {
  const { subject, terms: names } = namedSpeakers(query, candidates)
  const index = weighTerms(withoutNames(query.terms, names), statistics)
  // Everything else reads the matches of a candidate again, which are remembered.
  for (const { row } of candidates) {
    termMatches(index, row)
    yield
  }
  const read = createFeatureReader(query, index, subject, candidates, options.similarities)
  const ranked: RankedCandidate[] = []
  for (const [at, candidate] of candidates.entries()) {
    const score = weightedSum(read(at), recencyOf(candidate, options))
    ranked.push(new FirstRanked(candidate, score, at, read))
    yield
  }
  return { index, ranked: ranked.sort(byScore) }
}

/** A candidate of the first ranking. Its features are read again when they are needed: of most candidates they are not. */
class FirstRanked implements RankedCandidate {
  readonly candidate: SearchCandidate
  readonly score: number
  readonly kind = 'memory'
  readonly changes = none
  readonly further = none
  readonly #at: number
  readonly #read: (at: number) => Features
  #features: Features | undefined

  constructor(candidate: SearchCandidate, score: number, at: number, read: (at: number) => Features) {
    this.candidate = candidate
    this.score = score
    this.#at = at
    this.#read = read
  }

  get features(): Features {
    this.#features ??= { ...this.#read(this.#at) }
    return this.#features
  }
}

/** Explains a score. Computed for the few results that are shown, not for all candidates. */
export function explainScore(query: SearchQuery, scored: RankedCandidate, options: RankOptions = {}): ScoreExplanation {
  const parts: Record<string, number> = {}
  for (const name of featureNames) {
    const part = weights[name] * scored.features[name]
    if (part !== 0) parts[name] = part
  }
  for (const [name, change] of Object.entries(scored.changes)) parts[name] = (parts[name] ?? 0) + change
  if (options.recency) parts.recency = recencyOf(scored.candidate, options)
  return { score: scored.score, parts, matched: matchedTerms(query, scored.candidate) }
}

function recencyOf({ row }: SearchCandidate, { recency }: RankOptions): number {
  if (recency === undefined) return 0
  return recencyWeight * 0.5 ** (Math.max(0, recency.now - row.observedAt) / recency.halfLifeMs)
}

/** The terms without names of speakers, unless the query has no other terms. */
function withoutNames(terms: readonly QueryTerm[], names: ReadonlySet<string>): readonly QueryTerm[] {
  const others = terms.filter(({ stem, related }) => related !== undefined || !names.has(stem))
  return others.some(({ related }) => related === undefined) ? others : terms
}

function matchedTerms({ terms }: SearchQuery, { row }: SearchCandidate): string[] {
  const own = stemsAmong(terms, row.terms)
  return terms
    .filter(({ stem, prefix }) => (prefix ? row.terms.some((term) => term.startsWith(stem)) : own.has(stem)))
    .map(({ stem }) => stem)
}

function byScore(a: RankedCandidate, b: RankedCandidate): number {
  if (a.score !== b.score) return b.score - a.score
  const one = a.candidate.row
  const other = b.candidate.row
  return other.observedAt - one.observedAt || (one.id < other.id ? -1 : 1)
}
