import type { SearchCandidate } from './candidate.ts'

/** The cosine similarity of each memory's vector to the query's, by id: from -1 to 1. */
export type Similarities = ReadonlyMap<string, number>

/** Similarities as z-scores (standard deviations from the mean of the candidates), because embedders use different ranges. */
export type SimilarityScores = { readonly own: readonly number[]; readonly around: readonly number[] }

const aroundShares: ReadonlyMap<number, number> = new Map([
  [-2, 0.25],
  [-1, 0.5],
  [1, 0.25],
  [2, 0.1],
])

/** The similarity features of each candidate: its own, and with its neighbours added. */
export function similarityScores(
  similarities: Similarities | undefined,
  candidates: readonly SearchCandidate[],
): SimilarityScores {
  if (similarities === undefined) return { own: [], around: [] }
  const own = candidates.map(({ row }) => similarities.get(row.id))
  const around = candidates.map(({ neighbours }, at) => {
    const base = own[at]
    if (base === undefined) return undefined
    return neighbours.reduce(
      (sum, { offset, row }) => sum + (aroundShares.get(offset) ?? 0) * (similarities.get(row.id) ?? 0),
      base,
    )
  })
  return { own: standardised(own), around: standardised(around) }
}

/** A memory without a vector gets the mean. */
function standardised(values: readonly (number | undefined)[]): number[] {
  const known = values.filter((value) => value !== undefined)
  const mean = known.reduce((sum, value) => sum + value, 0) / (known.length || 1)
  const deviation = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length || 1)) || 1
  return values.map((value) => (value === undefined ? 0 : (value - mean) / deviation))
}
