import { rerankWeights } from '../../src/core/search/rerank-weights.ts'
import { type FeatureName, weights } from '../../src/core/search/weights.ts'
import { scoreOf } from '../../test/search/score.ts'
import { createRandom } from '../../test/support/random.ts'
import { type Asked, type Hit, type LoadedSet, usefulness } from './collect.ts'
import { openPlainFts5 } from './plain-fts5.ts'
import { average } from './relevance-figures.ts'
import type { RecallQuestion } from './sets/set.ts'

type Row = readonly (string | number)[]

/** The figures of a set, one row each. */
export function setFigures(set: LoadedSet, by: string, asked: readonly Asked[]): Row[] {
  return figures(
    set,
    by,
    asked.map(({ question, hits }) => ({ question, ranked: hits.map(({ id }) => id) })),
  )
}

/** What SQLite's own ranking finds. Not for sets whose questions are put to a part of the texts. */
export function plainBm25(set: LoadedSet): Row[] {
  if (set.key !== 'locomo' && !/^documents|^messages/.test(set.key)) return []
  const indexes = new Map([...set.scopes].map(([scope, turns]) => [scope, openPlainFts5([{ turns }])]))
  const asked = set.questions.map((question) => ({
    question,
    ranked: indexes.get(question.scope)?.(question.text).ranked ?? [],
  }))
  return figures(set, 'plain BM25', asked)
}

type Answer = { readonly question: RecallQuestion; readonly ranked: readonly string[] }

function figures(set: LoadedSet, by: string, asked: readonly Answer[]): Row[] {
  const row = (name: string, values: readonly number[]): Row => {
    const [low, high] = interval(values)
    return [set.name, by, values.length, name, average(values).toFixed(3), `${low.toFixed(3)}–${high.toFixed(3)}`]
  }
  if (set.wanted) {
    const useful = asked.map(({ question, ranked }) => usefulness(set, question, ranked))
    return [
      row(
        'usefulness@20',
        useful.map(({ complete }) => complete),
      ),
      row(
        'coverage@20',
        useful.map(({ coverage }) => coverage),
      ),
    ]
  }
  const answered = asked.filter(({ question }) => question.evidence.length > 0 && question.category !== '5')
  if (answered.length === 0) return []
  const scores = answered.map(({ question, ranked }) => scoreOf(question.evidence, ranked))
  const rows = ['recall@10', 'recall@50', 'nDCG@10'].map((name) =>
    row(
      name,
      scores.map((score) => score[name] ?? 0),
    ),
  )
  if (set.key !== 'locomo') return rows
  const severalHops = scores.filter((_, at) => answered[at]?.question.category === '1')
  return [
    ...rows,
    row(
      'recall@10, multi-hop',
      severalHops.map((score) => score['recall@10'] ?? 0),
    ),
  ]
}

const resamples = 1_000

/** The 95 % bootstrap interval of a mean; the same for the same values. */
function interval(values: readonly number[]): [number, number] {
  const random = createRandom(values.length)
  const means = Array.from({ length: resamples }, () =>
    average(values.map(() => values[Math.floor(random() * values.length)] as number)),
  ).sort((a, b) => a - b)
  return [means[Math.floor(0.025 * resamples)] ?? 0, means[Math.floor(0.975 * resamples)] ?? 0]
}

/** What a feature adds to a score, in both rankings. */
function partOf({ features, changes }: Hit, name: string): number {
  const first = name in weights ? weights[name as FeatureName] * features[name as FeatureName] : 0
  return first + (changes[name] ?? 0)
}

/** The first hits of each question, ranked again without one feature. */
export function ablations(sets: readonly LoadedSet[], asked: readonly Asked[]): string[] {
  const measured = sets.filter(({ key }) => key !== 'strangers')
  const names = new Set([...Object.keys(weights), ...Object.values(rerankWeights).flatMap(Object.keys)])
  const used = [...names].filter((name) => asked.some(({ hits }) => hits.some((hit) => partOf(hit, name) !== 0)))
  const figureOf = (set: LoadedSet, without: string | null) => {
    const mine = asked.filter((each) => each.set === set.key && each.question.category !== '5')
    const values = mine.flatMap(({ question, hits }) => {
      if (question.evidence.length === 0) return []
      const scored = hits.map((hit) => ({
        id: hit.id,
        score: hit.score - (without === null ? 0 : partOf(hit, without)),
      }))
      const ranked = scored.sort((a, b) => b.score - a.score).map(({ id }) => id)
      return set.wanted
        ? [usefulness(set, question, ranked).coverage]
        : [scoreOf(question.evidence, ranked)['recall@10'] ?? 0]
    })
    return average(values)
  }
  const full = measured.map((set) => figureOf(set, null))
  return [
    `| without | ${measured.map(({ key }) => key).join(' | ')} |`,
    `|---|${measured.map(() => '---').join('|')}|`,
    `| (all features) | ${full.map((value) => value.toFixed(3)).join(' | ')} |`,
    ...used.map((name) => {
      const lost = measured.map((set, at) => figureOf(set, name) - (full[at] as number))
      return `| ${name} | ${lost.map((value) => (value >= 0 ? '+' : '') + value.toFixed(3)).join(' | ')} |`
    }),
  ]
}
