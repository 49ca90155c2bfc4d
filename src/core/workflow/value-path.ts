import { isErased } from './erased-value.ts'
import { isJsonObject } from './json-values.ts'

/** The values of a run that templates, conditions and ports read. */
export type RunValues = {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const roots = ['inputs', 'variables', 'outputs'] as const

/** Whether a text is a path: a root and at least one member. */
export function isPath(path: string): boolean {
  const [root, ...members] = path.split('.')
  return roots.some((name) => name === root) && members.length > 0 && members.every((member) => member !== '')
}

/** The value at a path, or undefined. */
export function readPath(path: string, values: RunValues): unknown {
  return isPath(path) ? readMembers(path, values) : undefined
}

/**
 * The value at a dotted path. Only own members are read, so that no path reaches a prototype; items of an array are read by their index. A
 * member whose name contains a dot cannot be reached by a path, but by a port.
 */
export function readMembers(path: string, from: unknown): unknown {
  return path.split('.').reduce(ownMember, from)
}

/** An own member of a value, or an item of an array. The members of an erased value are erased too. */
export function ownMember(value: unknown, name: string): unknown {
  if (isErased(value)) return value
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
