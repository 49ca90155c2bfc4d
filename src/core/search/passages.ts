import type { TermMatches, TermWeights } from './term-weights.ts'

/** The length of a passage: about three sentences, or one message. A longer text is scored by its best passage. */
export const passageTerms = 40

/** A longer message has many terms by chance. For its neighbours and its conversation, one passage of it stands for the whole. */
export const longMessageTerms = 2 * passageTerms

/** How well the best passage of a text matches, whatever else the text contains. Each is a share of the query, from 0 to 1. */
export type PassageScores = {
  /** What the best passage contains. */
  readonly passage: number
  /** Neighbouring query terms that are neighbours in the text too, in the same order. */
  readonly pairs: number
  /** How many distinct query terms one passage has beside the first, at most 2. A number, not a share. */
  readonly together: number
}

/** Neighbours may have one other word between them. */
const pairDistance = 2

export function passageScores({ idf, total }: TermWeights, { places, found }: TermMatches): PassageScores {
  if (places.length === 0) return nothingFound
  const pairs: number[] = []
  for (let at = 1; at < places.length; at++) {
    const first = found[at - 1] as number
    const isNear = (places[at] as number) - (places[at - 1] as number) <= pairDistance
    if (isNear && found[at] === first + 1 && !pairs.includes(first)) pairs.push(first)
  }
  let paired = 0
  for (const first of pairs) paired += (idf[first] ?? 0) + (idf[first + 1] ?? 0)
  const { sum, distinct } = bestPassage(idf, places, found)
  const together = Math.min(2, Math.max(0, distinct - 1))
  return { passage: sum / total, pairs: Math.min(1, paired / (2 * total)), together }
}

const nothingFound: PassageScores = { passage: 0, pairs: 0, together: 0 }

/**
 * The passage of `size` terms with the highest sum of distinct query terms, where it begins (of equal ones the
 * first), and the highest number of distinct terms that any such passage has.
 */
export function bestPassage(
  idf: readonly number[],
  places: readonly number[],
  found: readonly number[],
  size: number = passageTerms,
): { readonly sum: number; readonly start: number; readonly distinct: number } {
  const inside = new Int32Array(idf.length)
  let best = 0
  let start = 0
  let sum = 0
  let first = 0
  let count = 0
  let distinct = 0
  for (let last = 0; last < places.length; last++) {
    const term = found[last] as number
    if (inside[term] === 0) {
      sum += idf[term] as number
      count += 1
    }
    inside[term] = (inside[term] as number) + 1
    while ((places[last] as number) - (places[first] as number) >= size) {
      const left = found[first] as number
      inside[left] = (inside[left] as number) - 1
      if (inside[left] === 0) {
        sum -= idf[left] as number
        count -= 1
      }
      first++
    }
    distinct = Math.max(distinct, count)
    // Subtracting leaves rounding errors: a sum must be clearly higher to replace an earlier one.
    if (sum > best + 1e-9) {
      best = sum
      start = places[first] as number
    }
  }
  return { sum: best, start, distinct }
}

/** The term frequency of each query term in the part of a text that begins and ends at these places. */
export function frequenciesBetween(
  { idf, none }: TermWeights,
  { places, found }: TermMatches,
  start: number,
  end: number,
): readonly number[] {
  let counts: number[] | null = null
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number
    if (place < start || place >= end) continue
    counts ??= idf.map(() => 0)
    counts[found[at] as number] = (counts[found[at] as number] as number) + 1
  }
  return counts ?? none.counts
}

/** The share of the query that a memory itself contains, anywhere. */
export function matchedShare({ idf, total }: TermWeights, { counts }: TermMatches): number {
  let sum = 0
  for (let term = 0; term < counts.length; term++) if ((counts[term] ?? 0) >= 1) sum += idf[term] ?? 0
  return sum / total
}
