import { ColophonError } from '../errors.ts'
import { isJsonObject } from './json-values.ts'

const mark = '$colophon.erased'

/**
 * Replaces a forgotten value in a run. It is stored and copied like any value: into outputs, into the inputs of a child. Null would not do:
 * it would become a part of a text, and `subject:{{inputs.user}}` would then name another person. A client that sends this value itself
 * gets the same treatment: it is shown as null.
 */
export const erasedValue: Readonly<Record<string, true>> = Object.freeze({ [mark]: true })

/** Whether a value is `erasedValue`. */
export function isErased(value: unknown): boolean {
  return isJsonObject(value) && value[mark] === true && Object.keys(value).length === 1
}

/** Whether a value is erased or contains an erased value. Without recursion: values of nodes may be nested deeply. */
export function containsErased(value: unknown): boolean {
  const pending = [value]
  while (pending.length > 0) {
    const item = pending.pop()
    if (item === null || typeof item !== 'object') continue
    if (isErased(item)) return true
    for (const member of Object.values(item)) pending.push(member)
  }
  return false
}

/** Refuses a value that is erased or contains an erased value, for a node that needs it. */
export function refuseErased(value: unknown): void {
  if (containsErased(value)) throw new ColophonError('content_erased', 'A value that the node needs was forgotten.')
}

/** The value as clients see it: erased values are null. */
export function showErased<T>(value: T): T {
  if (!containsErased(value)) return value
  if (isErased(value)) return null as T
  if (Array.isArray(value)) return value.map(showErased) as T
  return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, showErased(member)])) as T
}
