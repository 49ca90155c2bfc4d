import type { Candidate } from './candidate.ts'
import { countsOf, indexQuery, type SearchStatistics } from './counts.ts'
import { type FeatureName, featureNames, featuresOf } from './features.ts'
import type { SearchQuery } from './query.ts'
import { weights } from './weights.ts'

export type RankOptions = {
  /** Newer first among what fits alike; null when time does not matter. */
  readonly recency?: { readonly now: number; readonly halfLifeMs: number }
}

export type Ranked = {
  readonly candidate: Candidate
  readonly score: number
  /** What the score is the sum of. */
  readonly parts: Readonly<Record<string, number>>
  /** The terms of the question that the memory itself has. */
  readonly matched: readonly string[]
}

const recencyWeight = 2

/** Best first. The same candidates in any order give the same list: ties go to the newer, then to the id. */
export function rank(
  query: SearchQuery,
  statistics: SearchStatistics,
  candidates: readonly Candidate[],
  { recency }: RankOptions = {},
): Ranked[] {
  const index = indexQuery(query, statistics)
  const features = featuresOf(query, index, candidates)
  return candidates
    .map((candidate, at): Ranked => {
      const own = features[at]
      const parts: Record<string, number> = {}
      for (const name of featureNames) {
        const part = weights[name as FeatureName] * (own?.[name] ?? 0)
        if (part !== 0) parts[name] = part
      }
      if (recency)
        parts.recency =
          recencyWeight * 0.5 ** (Math.max(0, recency.now - candidate.row.observedAt) / recency.halfLifeMs)
      const counts = countsOf(index, candidate.row)
      return {
        candidate,
        score: Object.values(parts).reduce((sum, part) => sum + part, 0),
        parts,
        matched: query.terms.flatMap(({ stem }, place) => ((counts[place] ?? 0) > 0 ? [stem] : [])),
      }
    })
    .sort(byScore)
}

function byScore(a: Ranked, b: Ranked): number {
  const newer = b.candidate.row.observedAt - a.candidate.row.observedAt
  return b.score - a.score || newer || (a.candidate.row.id < b.candidate.row.id ? -1 : 1)
}
