import type { Candidate, SearchRow } from './candidate.ts'
import { countsOf, type QueryIndex } from './counts.ts'

const saturation = 1.5

/** How much of the question each conversation is about, by all that was found in it. */
export function sessionScores(index: QueryIndex, candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const rows = new Map<string, Map<string, SearchRow>>()
  for (const { row } of candidates) {
    if (row.sessionId === null) continue
    const known = rows.get(row.sessionId)
    if (known) known.set(row.id, row)
    else rows.set(row.sessionId, new Map([[row.id, row]]))
  }
  return new Map([...rows].map(([id, found]) => [id, scoreOf(index, [...found.values()])]))
}

function scoreOf(index: QueryIndex, rows: readonly SearchRow[]): number {
  const counts = new Float64Array(index.idf.length)
  for (const row of rows)
    countsOf(index, row).forEach((count, at) => {
      counts[at] = (counts[at] ?? 0) + count
    })
  return index.idf.reduce((sum, idf, at) => {
    const count = counts[at] ?? 0
    return sum + (idf * count * (saturation + 1)) / (count + saturation)
  }, 0)
}
