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
 * The rows worth a closer look, best first: those with the rarest terms and the most of them, of equals the newer one.
 * It reads every list once, so its cost is the length of the lists and not the size of the scope.
 */
export function shortlist(
  postings: readonly Postings[],
  frequencies: readonly number[],
  size: ScopeSize,
  /** What each term counts beside the others. */
  shares: readonly number[] = [],
): number[] {
  const scores = new Map<number, number>()
  postings.forEach(({ rows }, term) => {
    const count = frequencies[term] ?? 0
    const worth = (shares[term] ?? 1) * Math.log(1 + (size.entries - count + 0.5) / (count + 0.5))
    // Terms are added in their order, so rows with the same terms have the very same score.
    for (const row of rows) scores.set(row, (scores.get(row) ?? 0) + worth)
  })
  const byScore = new Map<number, number[]>()
  for (const [row, score] of scores) {
    const equals = byScore.get(score)
    if (equals) equals.push(row)
    else byScore.set(score, [row])
  }
  return [...byScore].sort(([a], [b]) => b - a).flatMap(([, rows]) => rows.sort((a, b) => b - a))
}
