// One memory as the wire shows it, and what can be said about its shape without knowing the host.
import { asArray, type Check, isObject } from '../harness.ts'

export type Entry = {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string
}

const closedKeys = new Set(['id', 'content', 'tags', 'createdAt', 'expiresAt'])
const isText = (value: unknown): value is string => typeof value === 'string'
const isInstant = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value))

/** Asserts the closed MemoryEntry shape: an internal column that leaks into an entry is a fault too. */
export function expectEntry(check: Check, value: unknown, message: string): Entry {
  check.ok(isObject(value), `${message}: is an object`)
  const entry = value as Record<string, unknown>
  check.ok(isText(entry.id) && entry.id !== '', `${message}: id is a non-empty string`)
  check.ok(isText(entry.content), `${message}: content is a string`)
  check.ok(Array.isArray(entry.tags) && entry.tags.every(isText), `${message}: tags is an array of strings`)
  check.ok(isInstant(entry.createdAt), `${message}: createdAt is an instant`)
  check.ok(entry.expiresAt === undefined || isInstant(entry.expiresAt), `${message}: expiresAt is absent or an instant`)
  const strange = Object.keys(entry).filter((key) => !closedKeys.has(key))
  check.equal(strange, [], `${message}: keys that a MemoryEntry does not have`)
  check.published('memory-entry', value, message)
  return entry as Entry
}

export function expectEntries(check: Check, value: unknown, message: string): Entry[] {
  check.ok(Array.isArray(value), `${message}: is an array`)
  return asArray(value).map((item, index) => expectEntry(check, item, `${message}[${index}]`))
}

export const idsOf = (entries: readonly Entry[]): string[] => entries.map(({ id }) => id)
