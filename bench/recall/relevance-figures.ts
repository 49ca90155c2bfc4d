import { meanOf, scoreOf } from '../../test/search/score.ts'
import { type Asked, type LoadedSet, usefulness } from './collect.ts'

const bins = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01]

/** Of hits with such a relevance, how many bear on their question? The first ten hits of every question. */
export function reliability(asked: readonly Asked[], relevancesOf: (each: Asked) => readonly number[]): string {
  const sums = bins.map(() => ({ count: 0, bearing: 0, relevance: 0 }))
  for (const each of asked) {
    const relevances = relevancesOf(each)
    for (const [at, { bears }] of each.hits.slice(0, 10).entries()) {
      const relevance = relevances[at] ?? 0
      const bin = sums[bins.findLastIndex((from) => relevance >= from)]
      if (bin === undefined) continue
      bin.count += 1
      bin.bearing += bears ? 1 : 0
      bin.relevance += relevance
    }
  }
  const rows = sums.flatMap(({ count, bearing, relevance }, at) =>
    count === 0
      ? []
      : [
          `| ${bins[at]}–${Math.min(1, bins[at + 1] ?? 1)} | ${count} | ${(relevance / count).toFixed(2)} | ${(bearing / count).toFixed(2)} |`,
        ],
  )
  return ['| relevance | hits | mean relevance | share that bears |', '|---|---|---|---|', ...rows, ''].join('\n')
}

/** What a minimum does to each set: `kept` gives the hits that stay. */
export function autoFigures(
  sets: readonly LoadedSet[],
  asked: readonly Asked[],
  kept: (each: Asked) => readonly string[],
): string {
  return sets
    .map(
      (set) =>
        `${set.key} ${figuresOf(
          set,
          asked.filter((each) => each.set === set.key),
          kept,
        )}`,
    )
    .join(' · ')
}

function figuresOf(set: LoadedSet, asked: readonly Asked[], kept: (each: Asked) => readonly string[]): string {
  const isSilent = (each: Asked) => kept(each).length === 0
  const unanswered = asked.filter(({ question }) => question.evidence.length === 0)
  const foreign = unanswered.filter(({ question }) => question.category === 'foreign')
  const other = unanswered.filter((each) => !foreign.includes(each))
  const silence = [
    other.length === 0 ? '' : ` silent ${share(other, isSilent)}`,
    foreign.length === 0 ? '' : ` foreign ${share(foreign, isSilent)}`,
  ].join('')
  if (set.judge) {
    const { judge } = set
    const verdicts = asked.map((each) => ({ kind: each.question.category, ...judge(each.question.id, kept(each)) }))
    const of = (kind: string) => verdicts.filter((verdict) => verdict.kind === kind)
    const mean = (values: readonly (number | null)[]) => average(values.filter((value) => value !== null)).toFixed(2)
    return `precision ${mean(of('retrieve').map(({ precision }) => precision))} recall ${mean(of('retrieve').map(({ recall }) => recall))} silent ${share(of('silence'), ({ isEmpty }) => isEmpty)} exact ${of('retrieve').filter(({ isExact }) => isExact).length}/${of('retrieve').length} session ${of('session').filter(({ isExact }) => isExact).length}/${of('session').length}`
  }
  if (set.wanted) {
    const useful = asked.map((each) => usefulness(set, each.question, kept(each)))
    return `U ${average(useful.map(({ complete }) => complete)).toFixed(3)} coverage ${average(useful.map(({ coverage }) => coverage)).toFixed(3)}`
  }
  const answered = asked.filter(({ question }) => question.evidence.length > 0)
  if (answered.length === 0) return silence.trim()
  const recall = (found: (each: Asked) => readonly string[]) =>
    meanOf(answered.map((each) => scoreOf(each.question.evidence, found(each).slice(0, 10))))['recall@10'] ?? 0
  const uncut = recall(({ hits }) => hits.map(({ id }) => id))
  return `recall@10 ${recall(kept).toFixed(3)} of ${uncut.toFixed(3)}${silence}`
}

function share<T>(items: readonly T[], is: (item: T) => boolean): string {
  return (items.filter(is).length / (items.length || 1)).toFixed(2)
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
}
