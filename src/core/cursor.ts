import type { Place } from './entries/entry.ts'
import { invalid } from './errors.ts'
import { invariant } from './invariant.ts'

/** Where the next page begins, and the position at which all pages of the list are read: later writes do not shift them. */
export type Cursor = Place & { readonly position: number }

/** The cursor as clients see it. */
export function encodeCursor({ position, createdPosition, ordinal }: Cursor): string {
  const isParseable = [position, createdPosition, ordinal].every((part) => Number.isSafeInteger(part) && part >= 0)
  invariant(isParseable, 'a client must be able to send a cursor back')
  return `${position}.${createdPosition}.${ordinal}`
}

/** The cursor in a request. Its position is from the client: the use case checks that the tenant has reached it. */
export function parseCursor(value: unknown): Cursor {
  const parts =
    typeof value === 'string' && /^\d{1,15}\.\d{1,15}\.\d{1,15}$/.test(value) ? value.split('.').map(Number) : []
  const [position, createdPosition, ordinal] = parts
  if (position === undefined || createdPosition === undefined || ordinal === undefined) {
    throw invalid('cursor', 'must be a cursor from an earlier page of the same list')
  }
  return { position, createdPosition, ordinal }
}
