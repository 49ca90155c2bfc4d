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
  /** It is known to stand at the beginning of a conversation that goes on. */
  readonly isOpening: boolean
}

/** A memory that was found with what stands around it in its conversation, in order and without gaps. */
export type Stretch<Row = SearchRow> = {
  readonly rows: readonly Row[]
  /** Nothing of the conversation stands before the first row; false also where nobody looked. */
  readonly isFromBeginning: boolean
}

/** How far around a memory its conversation is looked at. */
export const neighbourReach = 2

/** Everything to be ordered: what stands beside a find may be what was asked for, so all of a stretch are candidates. */
export function candidatesOf(stretches: readonly Stretch[]): Candidate[] {
  const found = new Map<string, Known>()
  for (const { rows, isFromBeginning } of stretches) {
    for (const [at, row] of rows.entries()) {
      const known = found.get(row.id) ?? { row, around: offsets.map(() => undefined), isOpening: false }
      found.set(row.id, known)
      known.isOpening ||= isFromBeginning && at < neighbourReach && rows.length > 1
      for (const [place, offset] of offsets.entries()) known.around[place] = rows[at + offset] ?? known.around[place]
    }
  }
  return Array.from(found.values(), ({ row, around, isOpening }) => ({
    row,
    isOpening,
    neighbours: offsets.flatMap((offset, place): Neighbour[] => {
      const other = around[place]
      return other === undefined ? [] : [{ offset, row: other }]
    }),
  }))
}

type Known = { readonly row: SearchRow; readonly around: (SearchRow | undefined)[]; isOpening: boolean }

/** In order, so that sums over them are the same wherever a memory was found. */
const offsets = Array.from({ length: 2 * neighbourReach + 1 }, (_, at) => at - neighbourReach).filter((at) => at !== 0)
