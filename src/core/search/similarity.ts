import { neighbourAt, neighbourOffsets, type SearchCandidate } from './candidate.ts'

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
    return neighbours.reduce((sum, row, nth) => {
      const share = aroundShares.get(neighbourOffsets[nth] ?? 0) ?? 0
      return row === undefined ? sum : sum + share * (similarities.get(row.id) ?? 0)
    }, base)
  })
  return { own: standardised(own), around: standardised(around) }
}

/** What the second ranking reads beside a candidate's own similarity, as z-scores among the candidates that are ranked again. */
export type SimilarContext = {
  /** The most similar candidate of the same conversation. */
  readonly session: number
  /** The message before, the one before that, and the message after. */
  readonly before: number
  readonly farBefore: number
  readonly after: number
}

/** The similarity around each candidate, by id. */
export function similarContexts(
  similarities: Similarities,
  candidates: readonly SearchCandidate[],
): ReadonlyMap<string, SimilarContext> {
  const sessions = new Map<string, number>()
  for (const { row } of candidates) {
    const similarity = similarities.get(row.id)
    if (row.sessionId === null || similarity === undefined) continue
    sessions.set(row.sessionId, Math.max(similarity, sessions.get(row.sessionId) ?? -1))
  }
  const at = (wanted: number) =>
    standardised(
      candidates.map((candidate) => {
        const id = neighbourAt(candidate, wanted)?.id
        return id === undefined ? undefined : similarities.get(id)
      }),
    )
  const session = standardised(
    candidates.map(({ row }) => (row.sessionId === null ? undefined : sessions.get(row.sessionId))),
  )
  const [before, farBefore, after] = [at(-1), at(-2), at(1)]
  return new Map(
    candidates.map(({ row }, nth) => [
      row.id,
      {
        session: session[nth] ?? 0,
        before: before[nth] ?? 0,
        farBefore: farBefore[nth] ?? 0,
        after: after[nth] ?? 0,
      },
    ]),
  )
}

/** A memory without a vector gets the mean. */
function standardised(values: readonly (number | undefined)[]): number[] {
  const known = values.filter((value) => value !== undefined)
  const mean = known.reduce((sum, value) => sum + value, 0) / (known.length || 1)
  const deviation = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length || 1)) || 1
  return values.map((value) => (value === undefined ? 0 : (value - mean) / deviation))
}
