/** Where one term of a query occurs in a scope: numbers of rows, newest first. */
export type Postings = {
  readonly rows: readonly number[]
  /** There are older ones that were not looked at. */
  readonly isCut: boolean
}

/** What a scope holds: how many rows, and the number of the newest. Numbers grow with time and never repeat. */
export type ScopeSize = { readonly entries: number; readonly newest: number }

/** In how many rows a term occurs. When the older ones were not looked at, they are taken to be like the newer ones. */
export function frequencyOf({ rows, isCut }: Postings, { entries, newest }: ScopeSize): number {
  const oldest = rows.at(-1)
  if (!isCut || oldest === undefined) return rows.length
  const share = rows.length / (newest - oldest + 1)
  return Math.max(rows.length, Math.min(entries, Math.round(share * entries)))
}

/**
 * The rows worth a closer look, best first and at most so many: those with the rarest terms and the most of them, of equals
 * the newer one. It reads every list once, so its cost is the length of the lists and not the size of the scope.
 */
export function shortlist(
  postings: readonly Postings[],
  frequencies: readonly number[],
  size: ScopeSize,
  rowsMax: number,
  /** What each term counts beside the others. */
  shares: readonly number[] = [],
): number[] {
  const worths = postings.map((_, term) => {
    const count = frequencies[term] ?? 0
    return (shares[term] ?? 1) * Math.log(1 + (size.entries - count + 0.5) / (count + 0.5))
  })
  const { rows, scores } = addUp(postings, worths)
  const least = leastWanted(scores, rowsMax)
  const byScore = new Map<number, number[]>()
  let lastScore = Number.NaN
  let equals: number[] = []
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] as number
    if (score < least) continue
    if (score !== lastScore) {
      lastScore = score
      equals = byScore.get(score) ?? []
      byScore.set(score, equals)
    }
    // Rows come newest first: of equals, what is beyond the limit is not wanted.
    if (equals.length < rowsMax) equals.push(rows[at] as number)
  }
  const inOrder = [...byScore].sort(([a], [b]) => b - a).flatMap(([, equals]) => equals)
  return inOrder.slice(0, rowsMax)
}

/** Rows whose scores are added up side by side. */
const stretchRows = 2 ** 16

/** Every row of the lists once, newest first, with what its terms are worth together. */
function addUp(postings: readonly Postings[], worths: readonly number[]) {
  const length = postings.reduce((sum, { rows }) => sum + rows.length, 0)
  const rows = new Float64Array(length)
  const scores = new Float64Array(length)
  const sums = new Float64Array(Math.min(length, 1) * stretchRows)
  const nexts = postings.map(() => 0)
  let count = 0
  for (;;) {
    const newest = postings.reduce((max, list, term) => Math.max(max, list.rows[nexts[term] as number] ?? 0), 0)
    if (newest === 0) return { rows: rows.subarray(0, count), scores: scores.subarray(0, count) }
    // Both ends of the stretch are rows: where rows are far apart, nothing between stretches is gone through.
    let oldest = newest
    for (const [term, { rows: list }] of postings.entries()) {
      const worth = worths[term] as number
      let next = nexts[term] as number
      // Terms are added in their order, so rows with the same terms have the very same score.
      for (let row = list[next]; row !== undefined && row > newest - stretchRows; row = list[++next]) {
        sums[newest - row] = (sums[newest - row] as number) + worth
        if (row < oldest) oldest = row
      }
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

/** A score that at least so many rows reach, if there are so many, and not many more: so that few have to be sorted. */
function leastWanted(scores: Float64Array, rowsMax: number): number {
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
    // A whole bin less than its edge, because an edge divided and multiplied again is not quite the same number.
    if (above >= rowsMax) return ((bin - 1) / (bins - 1)) * best
  }
  return 0
}
