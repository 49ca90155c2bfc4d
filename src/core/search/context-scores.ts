import { isQuestion } from './answer-types.ts'
import { neighbourOffsets, type SearchCandidate, type SearchRow } from './candidate.ts'
import { frequenciesBetween, longMessageTerms, passageTerms } from './passages.ts'
import { type TermWeights, termFrequencies, termMatches } from './term-weights.ts'
import { contextShares } from './weights.ts'

/** The features of a memory that come from its terms and those of its neighbours. */
export type ContextScores = {
  /** The weighted score of the query terms in the memory and its neighbours (BM25-like saturation). */
  words: number
  /** The largest share of the query that one neighbour covers alone. */
  beside: number
  /** The share of the query that the preceding question contains and the memory does not repeat. */
  answer: number
}

/** Scores the query terms in a memory and in its neighbours. The scores are written into an object, because every candidate of a search has them. */
export function scoreContext(index: TermWeights, { row, neighbours }: SearchCandidate, into: ContextScores): void {
  const own = termFrequencies(index, row)
  const { sums } = index
  let beside = 0
  let answer = 0
  let isSummed = false
  for (let nth = 0; nth < neighbours.length; nth++) {
    const other = neighbours[nth]
    if (other === undefined) continue
    const offset = neighbourOffsets[nth] as number
    const others = frequenciesBeside(index, other, offset)
    if (others === index.none.counts) continue
    if (!isSummed) for (let term = 0; term < own.length; term++) sums[term] = own[term] as number
    isSummed = true
    const followsQuestion = isQuestion(offset === 1 ? row.text : other.text)
    const share = shareOf(offset, followsQuestion)
    let covered = 0
    for (let term = 0; term < others.length; term++) {
      const count = others[term] as number
      if (count === 0) continue
      const idf = index.idf[term] as number
      sums[term] = (sums[term] as number) + share * count
      covered += idf * Math.min(1, count)
      if (offset === -1 && followsQuestion && own[term] === 0) answer += idf
    }
    beside = Math.max(beside, covered)
  }
  const isFound = isSummed || own !== index.none.counts
  into.words = isFound ? saturated(index, isSummed ? sums : own) : 0
  into.beside = beside / index.total
  into.answer = answer / index.total
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

/** How much the terms of a neighbour count. An answer shares few terms with a query; the question before it shares many. */
function shareOf(offset: number, followsQuestion: boolean): number {
  if (offset === -1) return followsQuestion ? contextShares.questionBefore : contextShares.before
  if (offset === 1) return followsQuestion ? contextShares.answerAfterQuestion : contextShares.after
  return offset < 0 ? contextShares.farBefore : contextShares.farAfter
}

/** The saturated sum of BM25 without length normalisation. */
function saturated({ idf }: TermWeights, counts: readonly number[] | Float64Array): number {
  const k = contextShares.saturation
  let sum = 0
  for (let term = 0; term < counts.length; term++) {
    const count = counts[term] as number
    sum += ((idf[term] as number) * count * (k + 1)) / (count + k)
  }
  return sum
}
