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

export type Ranked = {
  readonly candidate: Candidate
  readonly score: number
  /** What the score is the sum of. */
  readonly parts: Readonly<Record<string, number>>
  /** The terms of the question that the memory itself has, and words it has for them. */
  readonly matched: readonly string[]
}

const recencyWeight = 2

/** Best first. The same candidates in any order give the same list: ties go to the newer, then to the id. */
export function rank(
  query: SearchQuery,
  statistics: SearchStatistics,
  candidates: readonly Candidate[],
  { recency, similarities }: RankOptions = {},
): Ranked[] {
  const { subject, terms: names } = namedSpeakers(query, candidates)
  const index = indexTerms(withoutNames(query.terms, names), statistics)
  const features = featuresOf(query, index, subject, candidates, similarities)
  return candidates
    .map((candidate, at): Ranked => {
      const parts: Record<string, number> = weigh(features[at])
      if (recency) {
        const age = Math.max(0, recency.now - candidate.row.observedAt)
        parts.recency = recencyWeight * 0.5 ** (age / recency.halfLifeMs)
      }
      const score = Object.values(parts).reduce((sum, part) => sum + part, 0)
      return { candidate, score, parts, matched: matchedTerms(query, candidate) }
    })
    .sort(byScore)
}

function weigh(features: Features | undefined): Record<string, number> {
  const parts: Record<string, number> = {}
  for (const name of Object.keys(weights) as FeatureName[]) {
    const part = weights[name] * (features?.[name] ?? 0)
    if (part !== 0) parts[name] = part
  }
  return parts
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

function byScore(a: Ranked, b: Ranked): number {
  const newer = b.candidate.row.observedAt - a.candidate.row.observedAt
  return b.score - a.score || newer || (a.candidate.row.id < b.candidate.row.id ? -1 : 1)
}
