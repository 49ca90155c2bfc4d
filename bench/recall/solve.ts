/** Gaussian elimination with pivots. */
export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] as number])
  const size = rows.length
  for (let at = 0; at < size; at++) {
    const best = rows
      .slice(at)
      .reduce((max, row, nth) => (Math.abs(row[at] ?? 0) > Math.abs(rows[max]?.[at] ?? 0) ? at + nth : max), at)
    ;[rows[at], rows[best]] = [rows[best] as number[], rows[at] as number[]]
    const pivot = rows[at] as number[]
    for (let other = 0; other < size; other++) {
      const row = rows[other] as number[]
      if (other === at) continue
      const factor = (row[at] as number) / (pivot[at] as number)
      for (let column = at; column <= size; column++)
        row[column] = (row[column] as number) - factor * (pivot[column] as number)
    }
  }
  return rows.map((row, at) => (row[size] as number) / (row[at] as number))
}
