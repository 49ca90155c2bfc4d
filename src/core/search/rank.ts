import type { Candidate } from './candidate.ts'
import { indexTerms, type SearchStatistics } from './counts.ts'
import { type Features, featuresOf } from './features.ts'
import { namedSpeakers } from './named-speaker.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import type { Similarities } from './similarity.ts'
import { type FeatureName, weights } from './weights.ts'

export type RankOptions = {
  /** Newer first among what fits alike; left out when time does not matter. */
  readonly recency?: { readonly now: number; readonly halfLifeMs: number }
  /** From an embedder, for candidates and their neighbours; left out when there is none. */
  readonly similarities?: Similarities
}

export type Scored = {
  readonly candidate: Candidate
  readonly features: Features
  readonly score: number
}

export type Explained = {
  readonly score: number
  /** What the score is the sum of. */
  readonly parts: Readonly<Record<string, number>>
  /** The terms of the question that the memory itself has, and words it has for them. */
  readonly matched: readonly string[]
}

const recencyWeight = 2
const featureNames = Object.keys(weights) as FeatureName[]

/** Best first. The same candidates in any order give the same list: ties go to the newer, then to the id. */
export function rank(
  query: SearchQuery,
  statistics: SearchStatistics,
  candidates: readonly Candidate[],
  options: RankOptions = {},
): Scored[] {
  const { subject, terms: names } = namedSpeakers(query, candidates)
  const index = indexTerms(withoutNames(query.terms, names), statistics)
  const features = featuresOf(query, index, subject, candidates, options.similarities)
  return candidates
    .map((candidate, at): Scored => {
      const own = features[at] as Features
      let score = recencyOf(candidate, options)
      for (const name of featureNames) score += weights[name] * own[name]
      return { candidate, features: own, score }
    })
    .sort(byScore)
}

/** Why it stands where it does. Asked of the few that are shown, not of all that were ranked. */
export function explain(query: SearchQuery, scored: Scored, options: RankOptions = {}): Explained {
  const parts: Record<string, number> = {}
  for (const name of featureNames) {
    const part = weights[name] * scored.features[name]
    if (part !== 0) parts[name] = part
  }
  if (options.recency) parts.recency = recencyOf(scored.candidate, options)
  return { score: scored.score, parts, matched: matchedTerms(query, scored.candidate) }
}

function recencyOf({ row }: Candidate, { recency }: RankOptions): number {
  if (recency === undefined) return 0
  return recencyWeight * 0.5 ** (Math.max(0, recency.now - row.observedAt) / recency.halfLifeMs)
}

/** Unless nothing else was asked. */
function withoutNames(terms: readonly QueryTerm[], names: ReadonlySet<string>): readonly QueryTerm[] {
  const others = terms.filter(({ stem, related }) => related !== undefined || !names.has(stem))
  return others.some(({ related }) => related === undefined) ? others : terms
}

function matchedTerms({ terms }: SearchQuery, { row }: Candidate): string[] {
  const own = new Set(row.terms)
  return terms
    .filter(({ stem, prefix }) => (prefix ? row.terms.some((term) => term.startsWith(stem)) : own.has(stem)))
    .map(({ stem }) => stem)
}

function byScore(a: Scored, b: Scored): number {
  const newer = b.candidate.row.observedAt - a.candidate.row.observedAt
  return b.score - a.score || newer || (a.candidate.row.id < b.candidate.row.id ? -1 : 1)
}
