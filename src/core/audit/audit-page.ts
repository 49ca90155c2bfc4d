import { limits } from '../limits.ts'

/** The first audit records up to a number of characters, and at least one: a commit of many entries has a long record. */
export function firstOfPage<T extends { readonly body?: unknown }>(
  records: Iterable<T>,
  charactersMax: number = limits.auditPageCharactersMax,
): T[] {
  return firstUpTo(records, charactersMax, ({ body }) => String(body).length)
}

/** The first rows up to a number of characters, and at least one. */
export function firstUpTo<T>(rows: Iterable<T>, charactersMax: number, charactersOf: (row: T) => number): T[] {
  const page: T[] = []
  let characters = 0
  for (const row of rows) {
    page.push(row)
    characters += charactersOf(row)
    if (characters >= charactersMax) break
  }
  return page
}
