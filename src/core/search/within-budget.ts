import { countTokens } from './tokens.ts'

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
