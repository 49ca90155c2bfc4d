/** The posting list of one query term in a scope: row numbers, newest first. */
export type PostingList = {
  readonly rows: readonly number[] | Uint32Array
  /** Older rows exist that were not read. */
  readonly isCut: boolean
}

/**
 * The size of a scope: its number of rows, and the number of the newest row. Row numbers increase and are never reused. `hidden` are
 * the numbers of indexed rows that the reader cannot see; they are not counted in `entries`.
 */
export type ScopeSize = { readonly entries: number; readonly newest: number; readonly hidden?: ReadonlySet<number> }

/** The document frequency of a term. For a truncated posting list it is extrapolated from the newer rows. */
export function documentFrequency({ rows, isCut }: PostingList, { entries, newest, hidden }: ScopeSize): number {
  const oldest = rows.at(-1)
  if (!isCut || oldest === undefined) return rows.length
  const share = rows.length / (newest - oldest + 1 - countBetween(hidden, oldest, newest))
  return Math.max(rows.length, Math.min(entries, Math.round(share * entries)))
}

function countBetween(rows: ReadonlySet<number> | undefined, from: number, to: number): number {
  let count = 0
  for (const row of rows ?? []) if (row >= from && row <= to) count += 1
  return count
}

/**
 * Selects the candidate rows for ranking, best first: the `rowsMax` rows with the highest sum of inverse document frequencies,
 * of equal ones the newer. It reads every posting list once, so the cost depends on the length of the lists and not on the
 * size of the scope.
 */
export function selectCandidateRows(
  postings: readonly PostingList[],
  frequencies: readonly number[],
  size: ScopeSize,
  rowsMax: number,
  /** The weight of each term; 1 when omitted. */
  shares: readonly number[] = [],
): number[] {
  const idfs = postings.map((_, term) => {
    const count = frequencies[term] ?? 0
    return (shares[term] ?? 1) * Math.log(1 + (size.entries - count + 0.5) / (count + 0.5))
  })
  const { rows, scores } = sumScores(postings, idfs)
  const threshold = scoreThreshold(scores, rowsMax)
  const byScore = new Map<number, number[]>()
  let lastScore = Number.NaN
  let equals: number[] = []
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] as number
    if (score < threshold) continue
    if (score !== lastScore) {
      lastScore = score
      equals = byScore.get(score) ?? []
      byScore.set(score, equals)
    }
    // Rows come newest first, so rows of an equal score beyond the limit are not needed.
    if (equals.length < rowsMax) equals.push(rows[at] as number)
  }
  const inOrder = [...byScore].sort(([a], [b]) => b - a).flatMap(([, equals]) => equals)
  return inOrder.slice(0, rowsMax)
}

/** The number of row numbers per segment; scores are summed in one array per segment. */
const segmentRows = 2 ** 16
/** The sums of a segment. All are zero between searches: half a megabyte would have to be allocated and cleared for each. */
let sumsOfSegment: Float64Array | null = null

/** Merges the posting lists: every row once, newest first, with the sum of its term weights. */
function sumScores(postings: readonly PostingList[], idfs: readonly number[]) {
  const length = postings.reduce((sum, { rows }) => sum + rows.length, 0)
  const rows = new Float64Array(length)
  const scores = new Float64Array(length)
  sumsOfSegment ??= new Float64Array(segmentRows)
  const sums = sumsOfSegment
  const nexts = postings.map(() => 0)
  let count = 0
  for (;;) {
    const newest = postings.reduce((max, list, term) => Math.max(max, list.rows[nexts[term] as number] ?? 0), 0)
    if (newest === 0) return { rows: rows.subarray(0, count), scores: scores.subarray(0, count) }
    // A segment starts and ends at a row, so gaps between distant rows cost nothing.
    let oldest = newest
    for (const [term, { rows: list }] of postings.entries()) {
      const idf = idfs[term] as number
      let next = nexts[term] as number
      // Terms are added in a fixed order, so rows with the same terms have exactly the same score.
      for (; next < list.length; next++) {
        const below = newest - (list[next] as number)
        if (below >= segmentRows) break
        sums[below] = (sums[below] as number) + idf
      }
      if (next > (nexts[term] as number)) oldest = Math.min(oldest, list[next - 1] as number)
      nexts[term] = next
    }
    for (let below = 0; below <= newest - oldest; below++) {
      if (sums[below] === 0) continue
      rows[count] = newest - below
      scores[count++] = sums[below] as number
      sums[below] = 0
    }
  }
}

const bins = 4_096

/** A lower bound for the scores of the best `rowsMax` rows, from a histogram: only rows above it have to be sorted. */
function scoreThreshold(scores: Float64Array, rowsMax: number): number {
  if (scores.length <= rowsMax) return 0
  let best = 0
  for (let at = 0; at < scores.length; at++) best = Math.max(best, scores[at] as number)
  const counts = new Uint32Array(bins)
  for (let at = 0; at < scores.length; at++) {
    const bin = Math.floor(((scores[at] as number) / best) * (bins - 1))
    counts[bin] = (counts[bin] as number) + 1
  }
  let above = 0
  for (let bin = bins - 1; bin >= 0; bin--) {
    above += counts[bin] as number
    // One bin lower than the exact edge, because of rounding errors.
    if (above >= rowsMax) return ((bin - 1) / (bins - 1)) * best
  }
  return 0
}
