import { limits } from '../limits.ts'
import type { SearchCandidate } from './candidate.ts'
import type { Features } from './features.ts'
import type { RankedCandidate, RankedKind } from './rank.ts'
import { type FirstRanking, firstRankingOf, messageFeatures, textFeatures } from './rerank-features.ts'
import { type RerankWeights, rerankWeights } from './rerank-weights.ts'
import type { Similarities } from './similarity.ts'
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
  similarities?: Similarities,
): RankedCandidate[] {
  const best = ranked.slice(0, limits.searchRerankedMax)
  const first = firstRankingOf(ranked, best, similarities)
  let lowest = Number.POSITIVE_INFINITY
  const again = best.map((scored): RankedCandidate => {
    const kind = kindOf(first, scored)
    const further = kind === 'memory' ? {} : furtherFeatures(kind, index, first, scored)
    const changes =
      kind === 'memory' ? {} : changesOf(weightsOf(kind, first.similar !== null), scored.features, further)
    const sum = Object.values(changes).reduce((total, change) => total + change, 0)
    lowest = Math.min(lowest, sum)
    return new RankedAgain(scored, scored.score + sum, kind, changes, further)
  })
  const later = { later: lowest }
  const rest = ranked
    .slice(best.length)
    .map((scored) => new RankedAgain(scored, scored.score + lowest, kindOf(first, scored), later, scored.further))
  return [...again.sort(byScore), ...rest]
}

/** A candidate with the score of the second ranking. Its features are those of the first, which are not read before they are needed. */
class RankedAgain implements RankedCandidate {
  readonly candidate: SearchCandidate
  readonly score: number
  readonly kind: RankedKind
  readonly changes: ScoreChanges
  readonly further: Readonly<Record<string, number>>
  readonly #first: RankedCandidate

  constructor(
    first: RankedCandidate,
    score: number,
    kind: RankedKind,
    changes: ScoreChanges,
    further: Readonly<Record<string, number>>,
  ) {
    this.candidate = first.candidate
    this.score = score
    this.kind = kind
    this.changes = changes
    this.further = further
    this.#first = first
  }

  get features(): Features {
    return this.#first.features
  }
}

export type RerankedKind = Exclude<RankedKind, 'memory'>

/** Which weights rank a candidate. With vectors, messages have weights of their own: words say less where meaning is known. */
export function weightsOf(kind: RerankedKind, hasVectors: boolean): keyof RerankWeights {
  return kind === 'message' && hasVectors ? 'messageWithVectors' : kind
}

/**
 * How a candidate is ranked again. Where there are long texts, short ones have to be compared with them, so all are ranked alike. Otherwise
 * memories that stand alone keep their first score: the first ranking is good enough for them.
 */
export function kindOf({ areTexts }: FirstRanking, { candidate }: RankedCandidate): RankedKind {
  if (areTexts) return 'text'
  return candidate.neighbours.length > 0 ? 'message' : 'memory'
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
  messageWithVectors: Object.entries(rerankWeights.messageWithVectors),
  text: Object.entries(rerankWeights.text),
}

function changesOf(
  list: keyof RerankWeights,
  features: Readonly<Record<string, number>>,
  further: Readonly<Record<string, number>>,
): ScoreChanges {
  const changes: Record<string, number> = {}
  for (const [name, weight] of weightLists[list]) {
    const change = weight * (further[name] ?? features[name] ?? 0)
    if (change !== 0) changes[name] = change
  }
  return changes
}
