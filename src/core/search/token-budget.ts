/** The estimated number of tokens of a text: one per four code points. Independent of the model, so budgets are deterministic. */
export function countTokens(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return Math.ceil(characters / 4)
}

/**
 * The longest prefix of a ranked list that fits in a token budget; the whole list without a budget. Items that exceed the
 * budget alone are skipped; no item is truncated.
 */
export function withinBudget<T>(items: readonly T[], textOf: (item: T) => string, budget?: number): readonly T[] {
  if (budget === undefined) return items
  const taken: T[] = []
  let left = budget
  for (const item of items) {
    const tokens = countTokens(textOf(item))
    if (tokens > budget) continue
    if (tokens > left) break
    taken.push(item)
    left -= tokens
  }
  return taken
}
