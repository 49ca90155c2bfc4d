import { limits } from './limits.ts'

/** The first rows up to a number of characters, and at least one: a page whose rows may be long is shorter than its limit. */
export function firstUpTo<T>(
  rows: Iterable<T>,
  charactersOf: (row: T) => number,
  charactersMax: number = limits.pageCharactersMax,
): T[] {
  const page: T[] = []
  let characters = 0
  for (const row of rows) {
    page.push(row)
    characters += charactersOf(row)
    if (characters >= charactersMax) break
  }
  return page
}
