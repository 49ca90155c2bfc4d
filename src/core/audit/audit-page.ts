import { limits } from '../limits.ts'

/** The first audit records up to a number of characters, and at least one: a commit of many entries has a long record. */
export function firstOfPage<T extends { readonly body?: unknown }>(
  records: Iterable<T>,
  charactersMax: number = limits.auditPageCharactersMax,
): T[] {
  const page: T[] = []
  let characters = 0
  for (const record of records) {
    page.push(record)
    characters += String(record.body).length
    if (characters >= charactersMax) break
  }
  return page
}
