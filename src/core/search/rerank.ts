import { limits } from '../limits.ts'
import type { RankedCandidate, RankedKind } from './rank.ts'
import { type FirstRanking, firstRankingOf, messageFeatures, textFeatures } from './rerank-features.ts'
import { type RerankWeights, rerankWeights } from './rerank-weights.ts'
import type { TermWeights } from './term-weights.ts'

/** What the second ranking added to a score, by feature. */
export type ScoreChanges = Readonly<Record<string, number>>

/**
 * Ranks the best candidates of a first ranking again, by features that cost more or that need the first scores. The others keep
 * their order after them: they get the lowest change of all.
 */
export function rerank(
  index: TermWeights,
  ranked: readonly RankedCandidate[],
  byScore: (a: RankedCandidate, b: RankedCandidate) => number,
): RankedCandidate[] {
  const best = ranked.slice(0, limits.searchRerankedMax)
  const first = firstRankingOf(ranked, best)
  let lowest = Number.POSITIVE_INFINITY
  const again = best.map((scored): RankedCandidate => {
    const kind = kindOf(first, scored)
    const changes =
      kind === 'memory' ? {} : changesOf(kind, scored.features, furtherFeatures(kind, index, first, scored))
    const sum = Object.values(changes).reduce((total, change) => total + change, 0)
    lowest = Math.min(lowest, sum)
    return { ...scored, score: scored.score + sum, kind, changes }
  })
  const later = { later: lowest }
  const rest = ranked.slice(best.length).map((scored): RankedCandidate => {
    return { ...scored, score: scored.score + lowest, kind: kindOf(first, scored), changes: later }
  })
  return [...again.sort(byScore), ...rest]
}

export type RerankedKind = keyof RerankWeights

/**
 * Which weights apply to a candidate. None to memories that stand alone if all of them are short: the first ranking is good
 * enough for them. Where there are long texts, short ones have to be compared with them, so all are ranked alike.
 */
export function kindOf({ hasLongTexts }: FirstRanking, { candidate }: RankedCandidate): RankedKind {
  if (candidate.neighbours.length > 0) return 'message'
  return hasLongTexts ? 'text' : 'memory'
}

/** All features that the second ranking may weigh: those of the first, and its own. */
export function rerankFeatures(
  kind: RerankedKind,
  index: TermWeights,
  first: FirstRanking,
  scored: RankedCandidate,
): Readonly<Record<string, number>> {
  return { ...scored.features, ...furtherFeatures(kind, index, first, scored) }
}

function furtherFeatures(
  kind: RerankedKind,
  index: TermWeights,
  first: FirstRanking,
  scored: RankedCandidate,
): Readonly<Record<string, number>> {
  return kind === 'text' ? textFeatures(index, scored) : messageFeatures(index, first, scored)
}

const weightLists = {
  message: Object.entries(rerankWeights.message),
  text: Object.entries(rerankWeights.text),
}

function changesOf(
  kind: RerankedKind,
  features: Readonly<Record<string, number>>,
  further: Readonly<Record<string, number>>,
): ScoreChanges {
  const changes: Record<string, number> = {}
  for (const [name, weight] of weightLists[kind]) {
    const change = weight * (further[name] ?? features[name] ?? 0)
    if (change !== 0) changes[name] = change
  }
  return changes
}
