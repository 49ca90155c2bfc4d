/** The estimated number of tokens of a text: one per four code points. Independent of the model, so budgets are deterministic. */
export function countTokens(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return Math.ceil(characters / 4)
}
