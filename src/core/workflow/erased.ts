import { ColophonError } from '../errors.ts'
import { isJsonObject } from './json.ts'

const mark = '$colophon.erased'

/**
 * Stands in a run for a value that was forgotten. It is stored like any value and goes wherever the value would have gone: into
 * outputs, into the inputs of a child. A null would become a part of a text, and `subject:{{inputs.user}}` would then name
 * another person. A client that sends the mark itself gets what an erased value gets: nothing.
 */
export const erasedValue: Readonly<Record<string, true>> = Object.freeze({ [mark]: true })

export function isErased(value: unknown): boolean {
  return isJsonObject(value) && value[mark] === true && Object.keys(value).length === 1
}

/** Whether the value is erased, or something in it. Without recursion: a value may be nested as deep as a node made it. */
export function holdsErased(value: unknown): boolean {
  const open = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (item === null || typeof item !== 'object') continue
    if (isErased(item)) return true
    for (const member of Object.values(item)) open.push(member)
  }
  return false
}

/** For what cannot be done without the value. */
export function refuseErased(value: unknown): void {
  if (holdsErased(value)) throw new ColophonError('content_erased', 'A value that the node needs was forgotten.')
}

/** The value as clients see it: what is erased is null. */
export function showErased<T>(value: T): T {
  if (!holdsErased(value)) return value
  if (isErased(value)) return null as T
  if (Array.isArray(value)) return value.map(showErased) as T
  return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, showErased(member)])) as T
}
