/** Rows of one piece at most, and characters after which it ends: reading it takes a few milliseconds. */
const pieceRows = 500
const pieceCharacters = 1_048_576
/** How often a list that changed meanwhile is read again in pieces. Then it is read at once. */
const attemptsMax = 3

/** Runs a synchronous read when the turn of the event loop has time for it. */
type Answer = <T>(work: () => T) => Promise<T>

type List<R, T> = {
  /** The rows after the given one, or from the beginning, as an iterator that does not read ahead. */
  readonly rowsAfter: (last: R | null, limit: number) => IterableIterator<unknown>
  readonly characters: (row: R) => number
  readonly decode: (row: R) => T
  /** A number that changes with the rows: all pieces must belong to the same one. Without it, what is read never changes. */
  readonly revision?: () => unknown
  /** How many rows to read at most. */
  readonly limit?: number
}

/** Reads a list whose rows may be many or long. It is read in pieces, and other requests have their turn between them. */
export async function readInPieces<R, T>(answer: Answer, list: List<R, T>): Promise<T[]> {
  for (let attempt = 1; ; attempt++) {
    const decoded = await tryInPieces(answer, list, attempt > attemptsMax)
    if (decoded !== null) return decoded
  }
}

/** Null when the list changed meanwhile. */
async function tryInPieces<R, T>(
  answer: Answer,
  { rowsAfter, characters, decode, revision, limit = Number.MAX_SAFE_INTEGER }: List<R, T>,
  isAtOnce: boolean,
): Promise<T[] | null> {
  const decoded: T[] = []
  let last: R | null = null
  let first: unknown
  for (let isEnd = false; !isEnd; ) {
    const isSame = await answer(() => {
      if (last === null) first = revision?.()
      else if (revision?.() !== first) return false
      isEnd = true
      let [rows, read] = [0, 0]
      for (const row of rowsAfter(last, limit - decoded.length) as IterableIterator<R>) {
        decoded.push(decode(row))
        last = row
        read += characters(row)
        rows += 1
        isEnd = isAtOnce || (rows < pieceRows && read < pieceCharacters)
        if (!isEnd) break
      }
      return true
    })
    if (!isSame) return null
  }
  return decoded
}
