import { type Steps, takeSteps } from '../steps.ts'
import { earlyTerms } from './features.ts'
import type { SearchQuery } from './query.ts'
import { queryNames } from './query-names.ts'
import type { RankedCandidate, RankedKind } from './rank.ts'
import { relevanceModel } from './relevance-model.ts'
import { type SearchStatistics, stemsAmong, weighTerms } from './term-weights.ts'

/** What the relevance of a hit is computed from, beside its score. The names are those of the model. */
export type RelevanceSignals = Readonly<Record<RelevanceSignal, number>> & {
  /** Which weights and which minimum of `auto` apply. */
  readonly kind: RankedKind
}
export type RelevanceSignal = keyof typeof relevanceModel.weights.memory

/** The relevance of a hit: the estimated probability that it bears on the query. */
export type Relevance = {
  readonly relevance: number
  /** Whether a search with the minimum `auto` keeps it, and all hits before it. */
  readonly isKept: boolean
}

/**
 * The relevance of each hit of a ranked list, best first. It never rises along the list, and depends only on the hits up to
 * it, so a shorter list has the same values.
 */
export function relevancesOf(...asked: Parameters<typeof relevancesInSteps>): Relevance[] {
  return takeSteps(relevancesInSteps(...asked))
}

/** The same in steps, one for each hit. */
export function* relevancesInSteps(
  query: SearchQuery,
  statistics: SearchStatistics,
  ranked: readonly RankedCandidate[],
): Steps<Relevance[]> {
  const known = knowledgeOf(query, statistics)
  const relevances: Relevance[] = []
  let least = 1
  let isKept = true
  for (const [at, scored] of ranked.entries()) {
    const signals = signalsOf(query, known, scored, ranked[0] ?? scored, at)
    least = Math.min(least, round(probabilityOf(signals)))
    isKept &&= least >= autoMinOf(signals)
    relevances.push({ relevance: least, isKept })
    yield
  }
  return relevances
}

/** The relevance from which on `auto` keeps a hit. */
export function autoMinOf({ stranger, kind, place }: RelevanceSignals): number {
  const { autoMin } = relevanceModel
  const least = kind === 'text' && place === 0 ? autoMin.firstText : autoMin[kind]
  return stranger === 1 ? Math.max(least, autoMin.stranger) : least
}

/** What the searched scope knows of the query's words. */
export type QueryKnowledge = {
  /** The share of the query's terms, by number, that no entry of the scope has. */
  readonly unknown: number
  /** The share of the query's names that no entry has. */
  readonly strangers: number
  /** 1 if no entry has the first name, which is mostly whom the query is about. */
  readonly stranger: number
  /** The rarity of the rarest known term, from 0 to 1. */
  readonly rarest: number
  /** The rarity of all terms together: the sum of their inverse document frequencies. */
  readonly total: number
}

export function knowledgeOf(query: SearchQuery, statistics: SearchStatistics): QueryKnowledge {
  const { entries, frequency } = statistics
  const own = query.terms.filter(({ related }) => related === undefined)
  const formsOf = Map.groupBy(
    query.terms.flatMap(({ stem, related = [] }) => related.flatMap(({ to, kind }) => (kind ? [{ to, stem }] : []))),
    ({ to }) => to,
  )
  // A word is known in any of its forms, and a name also as a short form of it.
  const countOf = (stem: string) =>
    Math.max(frequency.get(stem) ?? 0, ...(formsOf.get(stem) ?? []).map((form) => frequency.get(form.stem) ?? 0))
  const counts = own.map(({ stem }) => countOf(stem))
  const names = queryNames(query).filter(({ term }) => frequency.has(term))
  const isStranger = names.map(({ term }) => countOf(term) === 0)
  const found = counts.filter((count) => count > 0)
  const rarity = (count: number) => Math.log((entries + 1) / count) / Math.log(entries + 2)
  return {
    unknown: counts.filter((count) => count === 0).length / (counts.length || 1),
    strangers: isStranger.filter(Boolean).length / (names.length || 1),
    stranger: isStranger[0] ? 1 : 0,
    rarest: found.length === 0 ? 0 : rarity(Math.min(...found)),
    total: weighTerms(query.terms, statistics).total,
  }
}

/**
 * The signals of the hit at a place of the list, from 0. A short message or memory among long texts is judged as among its like, by the first
 * ranking: the second one compared it with them.
 */
export function signalsOf(
  query: SearchQuery,
  known: QueryKnowledge,
  hit: RankedCandidate,
  best: RankedCandidate,
  at: number,
): RelevanceSignals {
  const { candidate, features, further } = hit
  const isShort = hit.kind === 'text' && features.length === 0
  const kindOfShort = candidate.neighbours.length > 0 ? 'message' : 'memory'
  const kind = isShort ? kindOfShort : hit.kind
  const score = isShort ? firstScoreOf(hit) : hit.score
  const top = isShort ? Math.max(score, firstScoreOf(best)) : best.score
  const isAlone = candidate.neighbours.length === 0 ? 1 : 0
  const terms = query.terms.filter(({ related }) => related === undefined)
  const matched = stemsAmong(terms, candidate.row.terms)
  const own = terms.filter(({ stem }) => matched.has(stem)).length / (terms.length || 1)
  const early = new Set(candidate.row.terms.slice(0, earlyTerms))
  const begins = terms.filter(({ stem }) => early.has(stem)).length
  return {
    constant: 1,
    score,
    behind: top - score,
    top,
    place: Math.log(at + 1),
    coverage: features.coverage,
    scattered: features.scattered,
    own,
    unknown: known.unknown,
    strangers: known.strangers,
    stranger: known.stranger,
    rarest: known.rarest,
    alone: isAlone,
    aloneOwn: isAlone * own,
    aloneBehind: top > 0 ? (isAlone * (top - score)) / top : 0,
    aloneBegins: isAlone * Math.min(2, begins),
    aloneNamed: features.named,
    terms: Math.log(1 + terms.length),
    passage: kind === 'text' ? features.passage : 0,
    close: kind === 'text' ? (further.close ?? 0) : 0,
    missing: kind === 'text' ? (1 - features.passage) * known.total : 0,
    kind,
  }
}

function firstScoreOf({ score, changes }: RankedCandidate): number {
  return Object.values(changes).reduce((rest, change) => rest - change, score)
}

export function probabilityOf(signals: RelevanceSignals): number {
  let sum = 0
  for (const [name, weight] of weightLists[signals.kind]) sum += weight * signals[name]
  return 1 / (1 + Math.exp(-sum))
}

const listOf = (kind: RankedKind) => Object.entries(relevanceModel.weights[kind]) as [RelevanceSignal, number][]
const weightLists = { message: listOf('message'), text: listOf('text'), memory: listOf('memory') }

function round(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000
}
