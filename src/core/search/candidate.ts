/** An indexed memory, as the search store returns it. */
export type SearchRow = {
  readonly id: string
  /** The memory's text, as results show it. */
  readonly text: string
  /** The terms under which it was indexed, in the order of the text. */
  readonly terms: readonly string[]
  readonly speaker: string | null
  readonly observedAt: number
  /** Its conversation; null for a memory that belongs to none. */
  readonly sessionId: string | null
}

/** A memory to be ranked, with its neighbours in the conversation. */
export type SearchCandidate = {
  readonly row: SearchRow
  /** The messages near it in its conversation, one for each of `neighbourOffsets` as far as there is one. Empty for a memory that stands alone. */
  readonly neighbours: readonly (SearchRow | undefined)[]
  /** Whether it is known to be at the start of a conversation that continues after it. */
  readonly isOpening: boolean
}

/** Consecutive messages of one conversation: a memory that matched, with its neighbours, in order and without gaps. */
export type ConversationSegment<Row = SearchRow> = {
  readonly rows: readonly Row[]
  /** The first row starts the conversation. False also when that was not checked. */
  readonly isFromBeginning: boolean
}

/** How many messages before and after a memory are its neighbours. */
export const neighbourReach = 2

/**
 * Where neighbours are: a positive offset is later, a negative one earlier. In a fixed order, so that floating-point sums over neighbours do not depend on the
 * segment.
 */
export const neighbourOffsets: readonly number[] = Array.from(
  { length: 2 * neighbourReach + 1 },
  (_, at) => at - neighbourReach,
).filter((at) => at !== 0)

/** The neighbour at an offset, if there is one. */
export function neighbourAt({ neighbours }: SearchCandidate, offset: number): SearchRow | undefined {
  return neighbours[neighbourOffsets.indexOf(offset)]
}

/** All rows of the segments as candidates: the answer may be a neighbour of the row that matched. Each row is listed once. */
export function candidatesOf(segments: readonly ConversationSegment[]): SearchCandidate[] {
  const found = new Map<string, CandidateDraft>()
  for (const { rows, isFromBeginning } of segments) {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as SearchRow
      let draft = found.get(row.id)
      if (draft === undefined) {
        draft = { row, neighbours: [], isOpening: false }
        found.set(row.id, draft)
      }
      if (rows.length === 1) continue
      draft.isOpening ||= isFromBeginning && at < neighbourReach
      if (draft.neighbours.length === 0) draft.neighbours = noNeighbours.slice()
      for (let nth = 0; nth < neighbourOffsets.length; nth++) {
        const beside = at + (neighbourOffsets[nth] as number)
        if (beside >= 0 && beside < rows.length) draft.neighbours[nth] = rows[beside]
      }
    }
  }
  return [...found.values()]
}

const noNeighbours: readonly (SearchRow | undefined)[] = neighbourOffsets.map(() => undefined)

type CandidateDraft = { readonly row: SearchRow; neighbours: (SearchRow | undefined)[]; isOpening: boolean }
