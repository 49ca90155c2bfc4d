import type { Candidate } from './candidate.ts'
import { countsOf, type QueryIndex } from './counts.ts'
import { isQuestion } from './signs.ts'
import { contextShares } from './weights.ts'

export type ContextWords = {
  /** What the asked words are worth that stand in the memory or around it. */
  readonly words: number
  /** The share of the question that a neighbour covers by itself, of the best. */
  readonly beside: number
  /** The share of the question that was asked right before, and that the memory does not repeat. */
  readonly answer: number
}

/** How much of the question stands in a memory, and in what was said around it. */
export function contextWords(index: QueryIndex, { row, neighbours }: Candidate): ContextWords {
  const own = countsOf(index, row)
  const counts = own.slice()
  let beside = 0
  let answer = 0
  for (const { offset, row: other } of neighbours) {
    const others = countsOf(index, other)
    if (!others.some(isCounted)) continue
    const isAsking = isQuestion(offset === 1 ? row.text : other.text)
    const share = shareOf(offset, isAsking)
    let covered = 0
    for (let place = 0; place < others.length; place++) {
      const count = others[place] ?? 0
      if (count === 0) continue
      const worth = index.worth[place] ?? 0
      counts[place] = (counts[place] ?? 0) + share * count
      covered += worth * Math.min(1, count)
      if (offset === -1 && isAsking && own[place] === 0) answer += worth
    }
    beside = Math.max(beside, covered)
  }
  return { words: saturated(index, counts), beside: beside / index.total, answer: answer / index.total }
}

function isCounted(count: number): boolean {
  return count > 0
}

/** An answer shares few words with what was asked, but the question before it does. */
function shareOf(offset: number, isAsking: boolean): number {
  if (offset === -1) return isAsking ? contextShares.askedBefore : contextShares.before
  if (offset === 1) return isAsking ? contextShares.answerAfter : contextShares.after
  return offset < 0 ? contextShares.farBefore : contextShares.farAfter
}

function saturated({ worth }: QueryIndex, counts: Float64Array): number {
  const k = contextShares.saturation
  let sum = 0
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place] ?? 0
    sum += ((worth[place] ?? 0) * count * (k + 1)) / (count + k)
  }
  return sum
}
