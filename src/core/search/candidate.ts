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
  const found = new Map<string, { readonly row: SearchRow; readonly around: (SearchRow | undefined)[] }>()
  for (const stretch of stretches) {
    for (const [at, row] of stretch.entries()) {
      const known = found.get(row.id) ?? { row, around: offsets.map(() => undefined) }
      found.set(row.id, known)
      for (const [place, offset] of offsets.entries()) known.around[place] = stretch[at + offset] ?? known.around[place]
    }
  }
  return Array.from(found.values(), ({ row, around }) => ({
    row,
    neighbours: offsets.flatMap((offset, place): Neighbour[] => {
      const other = around[place]
      return other === undefined ? [] : [{ offset, row: other }]
    }),
  }))
}

/** In order, so that sums over them are the same wherever a memory was found. */
const offsets = Array.from({ length: 2 * neighbourReach + 1 }, (_, at) => at - neighbourReach).filter((at) => at !== 0)
