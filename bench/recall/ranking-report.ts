import { scoreOf } from '../../test/search/score.ts'
import { usefulness } from './collect.ts'
import { average } from './relevance-figures.ts'
import type { FirstHits } from './rerank-samples.ts'

/** The mean of each figure, by its name. */
export type Figures = ReadonlyMap<string, number>

/** The figures of all sets for the given orders. */
export function figuresOf(ranked: ReadonlyMap<FirstHits, readonly string[]>): Figures {
  const found = new Map<string, number[]>()
  const note = (name: string, value: number) => {
    const list = found.get(name) ?? []
    found.set(name, list)
    list.push(value)
  }
  for (const [{ set, question, embedder }, order] of ranked) {
    const by = embedder === null ? set.key : `${set.key}, ${embedder}`
    if (set.wanted) {
      const { complete, coverage } = usefulness(set, question, order)
      note(`${by} usefulness@20`, complete)
      note(`${by} coverage@20`, coverage)
      continue
    }
    const scores = scoreOf(question.evidence, order)
    if (set.key === 'locomo' && question.category === '5') {
      note(`${by} wrong person`, scores['recall@10'] ?? 0)
      continue
    }
    note(`${by} recall@10`, scores['recall@10'] ?? 0)
    note(`${by} nDCG@10`, scores['nDCG@10'] ?? 0)
    if (set.key === 'locomo' && question.category === '1') note(`${by} multi-hop`, scores['recall@10'] ?? 0)
  }
  return new Map(Array.from(found, ([name, list]) => [name, average(list)]))
}

type Row = { readonly name: string; readonly figures: Figures }

/** What the second ranking gains, and what is lost without each of its features. */
export function reportOf(rows: readonly Row[], held: Figures, without: readonly Row[]): string {
  const names = [...held.keys()]
  const changed = (figures: Figures) =>
    names.map((name) => {
      const value = figures.get(name)
      const change = value === undefined ? 0 : value - (held.get(name) ?? 0)
      return value === undefined ? '' : (change >= 0 ? '+' : '') + change.toFixed(3)
    })
  return [
    '# The second ranking: report of its fit',
    '',
    'Written by `node bench/recall/fit-ranking.ts --embedder --write`. "wrong person" is recall@10 of questions that name another person than the one who said it.',
    '',
    `| figure | ${rows.map(({ name }) => name).join(' | ')} |`,
    `|---|${rows.map(() => '---').join('|')}|`,
    ...names.map(
      (name) => `| ${name} | ${rows.map(({ figures }) => (figures.get(name) ?? 0).toFixed(3)).join(' | ')} |`,
    ),
    '',
    '## Without one feature',
    '',
    'Fitted again without the feature, on the other folds each time: what changes against the fit with all of them.',
    '',
    `| without | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---').join('|')}|`,
    ...without.map(({ name, figures }) => `| ${name} | ${changed(figures).join(' | ')} |`),
    '',
  ].join('\n')
}
