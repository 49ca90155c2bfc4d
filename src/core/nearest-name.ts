/** The known name that is most like a given one; null when none is alike: at most a third of its letters may differ. */
export function nearestName(given: string, known: readonly string[]): string | null {
  let nearest: { readonly name: string; readonly distance: number } | null = null
  for (const name of known) {
    const distance = editDistance(given, name)
    if (
      distance * 3 <= Math.max(given.length, name.length) &&
      distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)
    )
      nearest = { name, distance }
  }
  return nearest?.name ?? null
}

/** The Levenshtein distance: how many letters must be added, removed or replaced. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (other[at - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
