import type { Candidate } from './candidate.ts'
import { countsOf, type QueryIndex } from './counts.ts'

const saturation = 1.5

/** How much of the question each conversation is about, by all that was found in it. */
export function sessionScores(index: QueryIndex, candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const bySession = new Map<string, Float64Array>()
  for (const { row } of candidates) {
    if (row.sessionId === null) continue
    const sums = bySession.get(row.sessionId) ?? new Float64Array(index.worth.length)
    bySession.set(row.sessionId, sums)
    const counts = countsOf(index, row)
    for (let place = 0; place < counts.length; place++) sums[place] = (sums[place] ?? 0) + (counts[place] ?? 0)
  }
  return new Map([...bySession].map(([id, sums]) => [id, scoreOf(index, sums)]))
}

function scoreOf({ worth }: QueryIndex, sums: Float64Array): number {
  return worth.reduce((sum, one, place) => {
    const count = sums[place] ?? 0
    return sum + (one * count * (saturation + 1)) / (count + saturation)
  }, 0)
}
