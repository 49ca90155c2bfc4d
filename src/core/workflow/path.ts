import { isErased } from './erased.ts'
import { isJsonObject } from './json.ts'

/** What a run knows while a node is prepared. */
export type Scope = {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const roots = ['inputs', 'variables', 'outputs'] as const

/** A path that can name something: a root and at least one member of it. */
export function isPath(path: string): boolean {
  const [root, ...members] = path.split('.')
  return roots.some((name) => name === root) && members.length > 0 && members.every((member) => member !== '')
}

/** What a path from one of the roots names, or undefined. */
export function readPath(path: string, scope: Scope): unknown {
  return isPath(path) ? readMembers(path, scope) : undefined
}

/**
 * Follows a dotted path. Only own members are followed, so that no path reaches a prototype; items of an array go by
 * their number. A name that holds a dot cannot be reached by a path; a port can name it.
 */
export function readMembers(path: string, from: unknown): unknown {
  return path.split('.').reduce(ownMember, from)
}

/** Whatever was in a value that is erased is erased too. */
export function ownMember(value: unknown, name: string): unknown {
  if (isErased(value)) return value
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
