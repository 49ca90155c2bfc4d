import { createRulesExtractor } from '../../src/adapters/extract/rules.ts'
import type { ExtractedMemory } from '../../src/core/extract/extract.ts'
import { type Category, categories } from '../../src/core/provenance/category.ts'
import type { Case, Expectation } from './corpus/case.ts'

export type Outcome = {
  readonly case: Case
  readonly hits: readonly { readonly expected: Expectation; readonly found: ExtractedMemory }[]
  readonly missed: readonly Expectation[]
  readonly extra: readonly ExtractedMemory[]
}

const never = new AbortController().signal

/** Category and claim key right is a hit. */
export async function outcomeOf(item: Case): Promise<Outcome> {
  const { candidates } = await createRulesExtractor().extract(item.messages, never)
  const left = [...candidates]
  const hits: Outcome['hits'][number][] = []
  const missed: Expectation[] = []
  for (const expected of item.expected) {
    const at = left.findIndex(
      ({ category, claimKey }) => category === expected.category && claimKey === expected.claimKey,
    )
    const [found] = at < 0 ? [] : left.splice(at, 1)
    if (found) hits.push({ expected, found })
    else missed.push(expected)
  }
  return { case: item, hits, missed, extra: left }
}

const negative =
  /\b(?:not|no|never|no longer|dislikes|avoids|used to|gave up|stopped|quit|cannot|keine?n?|nicht)\b|^left /i

/** Whether a hit also says it right: the words that matter, and whether it is so or not so. */
export function saysItRight({ expected, found }: Outcome['hits'][number]): boolean {
  const content = found.content.toLowerCase()
  return expected.words.every((word) => content.includes(word)) && negative.test(content) !== expected.isPositive
}

export type Score = {
  readonly expected: number
  readonly hits: number
  readonly extra: number
  readonly recall: number
  readonly precision: number
}

export function scoreOf(outcomes: readonly Outcome[], category?: Category): Score {
  const counts = (item: { readonly category: Category }) => category === undefined || item.category === category
  const hits = outcomes.flatMap((outcome) => outcome.hits).filter(({ expected }) => counts(expected)).length
  const missed = outcomes.flatMap((outcome) => outcome.missed).filter(counts).length
  const extra = outcomes.flatMap((outcome) => outcome.extra).filter(counts).length
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole)
  return {
    expected: hits + missed,
    hits,
    extra,
    recall: share(hits, hits + missed),
    precision: share(hits, hits + extra),
  }
}

export function linesOf(name: string, outcomes: readonly Outcome[]): string[] {
  const line = (label: string, { expected, hits, extra, recall, precision }: Score) =>
    `${label.padEnd(14)} precision ${(100 * precision).toFixed(1)} %  recall ${(100 * recall).toFixed(1)} %  (${hits} of ${expected}, ${extra} too many)`
  return [
    `${name}: ${outcomes.length} texts`,
    line('  all', scoreOf(outcomes)),
    ...categories.map((category) => line(`  ${category}`, scoreOf(outcomes, category))),
  ]
}
