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

/** A message near a memory in its conversation. A positive offset is later, a negative one earlier. */
export type Neighbour = { readonly offset: number; readonly row: SearchRow }

/** A memory to be ranked, with its neighbours in the conversation. */
export type SearchCandidate = {
  readonly row: SearchRow
  readonly neighbours: readonly Neighbour[]
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

/** All rows of the segments as candidates: the answer may be a neighbour of the row that matched. Each row is listed once. */
export function candidatesOf(segments: readonly ConversationSegment[]): SearchCandidate[] {
  const found = new Map<string, CandidateDraft>()
  for (const { rows, isFromBeginning } of segments) {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as SearchRow
      let draft = found.get(row.id)
      if (draft === undefined) {
        draft = { row, around: offsets.map(() => undefined), isOpening: false }
        found.set(row.id, draft)
      }
      draft.isOpening ||= isFromBeginning && at < neighbourReach && rows.length > 1
      for (let nth = 0; nth < offsets.length; nth++) {
        const beside = at + (offsets[nth] as number)
        if (beside >= 0 && beside < rows.length) draft.around[nth] = rows[beside]
      }
    }
  }
  return Array.from(found.values(), ({ row, around, isOpening }) => ({
    row,
    isOpening,
    neighbours: neighboursOf(around),
  }))
}

function neighboursOf(around: readonly (SearchRow | undefined)[]): Neighbour[] {
  const neighbours: Neighbour[] = []
  for (let nth = 0; nth < offsets.length; nth++) {
    const row = around[nth]
    if (row !== undefined) neighbours.push({ offset: offsets[nth] as number, row })
  }
  return neighbours
}

type CandidateDraft = { readonly row: SearchRow; readonly around: (SearchRow | undefined)[]; isOpening: boolean }

/** In a fixed order, so that floating-point sums over neighbours do not depend on the segment. */
const offsets = Array.from({ length: 2 * neighbourReach + 1 }, (_, at) => at - neighbourReach).filter((at) => at !== 0)
