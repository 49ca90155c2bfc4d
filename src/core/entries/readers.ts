import { checkIdentifier } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { isReadableBy } from './access.ts'

/** Who inside a tenant may read an entry: a sorted list without repetitions, or null for everyone. */
export type Readers = readonly string[] | null

/** The id of a reader: any name that the tenant uses for a person, a team or an agent. */
export function checkReader(field: string, value: unknown): asserts value is string {
  checkIdentifier(field, value, 'readerCharactersMax', limits.readerCharactersMax)
}

/**
 * The readers in a request. Absent and null mean everyone in the tenant. An empty list means that only callers without a reader see
 * the entry.
 */
export function parseReaders(field: string, value: unknown): Readers {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) throw invalid(field, 'must be a list of reader ids, or null for everyone in the tenant')
  if (value.length > limits.readersMax)
    throw invalid(field, `must be at most ${limits.readersMax} ids`, { limit: 'readersMax', max: limits.readersMax })
  for (const [at, reader] of value.entries()) checkReader(`${field}[${at}]`, reader)
  return [...new Set(value as string[])].sort()
}

/** Whether the second list lets anyone read who could not before. */
export function isWider(from: Readers, to: Readers): boolean {
  if (from === null) return false
  return to === null || to.some((reader) => !from.includes(reader))
}

export function areSameReaders(a: Readers, b: Readers): boolean {
  return a === b || (a !== null && b !== null && a.length === b.length && a.every((reader) => b.includes(reader)))
}

/** A text that is the same for the same readers, and empty for everyone. */
export function readersKey(readers: Readers): string {
  return readers === null ? '' : JSON.stringify(readers)
}

/** The rows that a reader may see. */
export function readableRows<T extends { readonly readers: Readers }>(rows: readonly T[], reader: string | null): T[] {
  return rows.filter(({ readers }) => isReadableBy(readers, reader))
}

/** The refusal of a call that its reader cannot make. */
export function readerForbidden(message: string): ColophonError {
  return new ColophonError('reader_forbidden', message)
}
