import { limits } from '../../src/core/limits.ts'
import { rankFirst } from '../../src/core/search/rank.ts'
import { kindOf, rerankFeatures, weightsOf } from '../../src/core/search/rerank.ts'
import { firstRankingOf } from '../../src/core/search/rerank-features.ts'
import type { RerankWeights } from '../../src/core/search/rerank-weights.ts'
import type { LoadedSet } from './collect.ts'
import { createCoreScope, type Nearness, searchCore } from './core-search.ts'
import type { RecallQuestion } from './sets/set.ts'

/** The best hits of one question by the first ranking, with everything that the second may weigh. */
export type FirstHits = {
  readonly set: LoadedSet
  readonly question: RecallQuestion
  /** The embedder; null for a search by words. */
  readonly embedder: string | null
  readonly kind: keyof RerankWeights
  readonly hits: readonly {
    readonly id: string
    readonly score: number
    readonly bears: boolean
    readonly features: Readonly<Record<string, number>>
  }[]
  /** What comes after them. */
  readonly rest: readonly string[]
}

/** Asks every question of a set that has an answer. */
export function firstHitsOf(
  set: LoadedSet,
  embedder: string | null = null,
  nearnessOf?: (question: RecallQuestion) => Nearness,
): FirstHits[] {
  const scopes = new Map([...set.scopes].map(([key, texts]) => [key, createCoreScope(texts)]))
  const isAlone = [...set.scopes.values()].flat().every(({ session }) => session === null)
  return set.questions.flatMap((question): FirstHits[] => {
    const scope = scopes.get(question.scope)
    if (scope === undefined || question.evidence.length === 0) return []
    const evidence = new Set(question.evidence)
    const features = new Map<string, Readonly<Record<string, number>>>()
    let areTexts = isAlone
    const { ranked } = searchCore(scope, question, nearnessOf?.(question), (...asked) => {
      const { index, ranked: all } = rankFirst(...asked)
      const best = all.slice(0, limits.searchRerankedMax)
      const first = firstRankingOf(all, best, asked[3]?.similarities)
      areTexts ||= first.areTexts
      for (const scored of best) {
        const own = kindOf(first, scored)
        features.set(scored.candidate.row.id, own === 'memory' ? {} : rerankFeatures(own, index, first, scored))
      }
      return all
    })
    const kind = weightsOf(areTexts ? 'text' : 'message', nearnessOf !== undefined)
    const hits = ranked.flatMap(({ candidate: { row }, score }) => {
      const own = features.get(row.id)
      return own ? [{ id: row.id, score, bears: evidence.has(row.id), features: own }] : []
    })
    const rest = ranked
      .filter(({ candidate }) => !features.has(candidate.row.id))
      .map(({ candidate }) => candidate.row.id)
    return [{ set, question, embedder, kind, hits, rest: rest.slice(0, 50) }]
  })
}
