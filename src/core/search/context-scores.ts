import { isQuestion } from './answer-types.ts'
import type { SearchCandidate, SearchRow } from './candidate.ts'
import { frequenciesBetween, longMessageTerms, passageTerms } from './passages.ts'
import { type TermWeights, termFrequencies, termMatches } from './term-weights.ts'
import { contextShares } from './weights.ts'

/** The features of a memory that come from its terms and those of its neighbours. */
export type ContextScores = {
  /** The weighted score of the query terms in the memory and its neighbours (BM25-like saturation). */
  readonly words: number
  /** The largest share of the query that one neighbour covers alone. */
  readonly beside: number
  /** The share of the query that the preceding question contains and the memory does not repeat. */
  readonly answer: number
}

/** Scores the query terms in a memory and in its neighbours. */
export function contextScores(index: TermWeights, { row, neighbours }: SearchCandidate): ContextScores {
  const own = termFrequencies(index, row)
  let counts: number[] | null = null
  let beside = 0
  let answer = 0
  for (const { offset, row: other } of neighbours) {
    const others = frequenciesBeside(index, other, offset)
    if (others === index.none.counts) continue
    counts ??= own.slice()
    const followsQuestion = isQuestion(offset === 1 ? row.text : other.text)
    const share = shareOf(offset, followsQuestion)
    let covered = 0
    for (let term = 0; term < others.length; term++) {
      const count = others[term] ?? 0
      if (count === 0) continue
      const idf = index.idf[term] ?? 0
      counts[term] = (counts[term] ?? 0) + share * count
      covered += idf * Math.min(1, count)
      if (offset === -1 && followsQuestion && own[term] === 0) answer += idf
    }
    beside = Math.max(beside, covered)
  }
  if (counts === null && own === index.none.counts) return nothingFound
  return { words: saturated(index, counts ?? own), beside: beside / index.total, answer: answer / index.total }
}

/** The term frequencies of a neighbour; of a long one, those of the passage that is next to the memory. */
function frequenciesBeside(index: TermWeights, row: SearchRow, offset: number): readonly number[] {
  const matches = termMatches(index, row)
  const { length } = row.terms
  if (length <= longMessageTerms || matches === index.none) return matches.counts
  return offset < 0
    ? frequenciesBetween(index, matches, length - passageTerms, length)
    : frequenciesBetween(index, matches, 0, passageTerms)
}

const nothingFound: ContextScores = { words: 0, beside: 0, answer: 0 }

/** How much the terms of a neighbour count. An answer shares few terms with a query; the question before it shares many. */
function shareOf(offset: number, followsQuestion: boolean): number {
  if (offset === -1) return followsQuestion ? contextShares.questionBefore : contextShares.before
  if (offset === 1) return followsQuestion ? contextShares.answerAfterQuestion : contextShares.after
  return offset < 0 ? contextShares.farBefore : contextShares.farAfter
}

/** The saturated sum of BM25 without length normalisation. */
function saturated({ idf }: TermWeights, counts: readonly number[]): number {
  const k = contextShares.saturation
  let sum = 0
  for (let term = 0; term < counts.length; term++) {
    const count = counts[term] ?? 0
    sum += ((idf[term] ?? 0) * count * (k + 1)) / (count + k)
  }
  return sum
}
