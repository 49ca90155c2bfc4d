import { countTokens } from './tokens.ts'

/** The first of a ranked list that fit in a budget together; all without one. What alone exceeds it is left out whole; nothing is cut. */
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
