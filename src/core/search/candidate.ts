/** An indexed memory as the store gives it. */
export type SearchRow = {
  readonly id: string
  /** The memory's text, as it is shown. */
  readonly text: string
  /** As they were indexed. */
  readonly terms: readonly string[]
  readonly speaker: string | null
  readonly observedAt: number
  /** Which conversation it is from; null for a memory that stands alone. */
  readonly sessionId: string | null
}

/** The neighbours of a memory in its conversation: how many places later (or, below zero, earlier), and what is there. */
export type Neighbour = { readonly offset: number; readonly row: SearchRow }

export type Candidate = {
  readonly row: SearchRow
  readonly neighbours: readonly Neighbour[]
}

/** How far around a memory its conversation is looked at. */
export const neighbourReach = 2

/**
 * Everything to be ordered. A stretch is a memory that was found with what stands around it in its conversation, in order and
 * without gaps; what stands beside a find may be what was asked for, so all of them are candidates.
 */
export function candidatesOf(stretches: readonly (readonly SearchRow[])[]): Candidate[] {
  const found = new Map<string, { row: SearchRow; around: Map<number, SearchRow> }>()
  for (const stretch of stretches) {
    stretch.forEach((row, at) => {
      const known = found.get(row.id) ?? { row, around: new Map<number, SearchRow>() }
      found.set(row.id, known)
      for (let offset = -neighbourReach; offset <= neighbourReach; offset++) {
        const other = stretch[at + offset]
        if (offset !== 0 && other) known.around.set(offset, other)
      }
    })
  }
  return [...found.values()].map(({ row, around }) => ({
    row,
    neighbours: [...around].map(([offset, other]) => ({ offset, row: other })),
  }))
}
