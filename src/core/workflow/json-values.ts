import { checkJson } from '../check.ts'
import { invalid } from '../errors.ts'
import { shownName } from '../shown-name.ts'
import { type WorkflowLimit, workflowLimits } from './workflow-limits.ts'

/** A JSON object from a document or a request. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object, and neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/**
 * A copy of a value as plain JSON: without getters and prototypes, without a `__proto__` member, which a later assignment would use as the
 * prototype, and shallow enough to walk with recursion.
 */
export function copyJson(field: string, value: unknown, bytesLimit: WorkflowLimit): unknown {
  checkJson(field, value, bytesLimit, workflowLimits[bytesLimit])
  const copy: unknown = JSON.parse(JSON.stringify(value))
  checkTree(field, copy)
  return copy
}

/** Refuses a `__proto__` member and nesting above the limit. */
export function checkTree(field: string, value: unknown, level = 0): void {
  if (value === null || typeof value !== 'object') return
  checkLevel(field, level + 1)
  if (Object.hasOwn(value, '__proto__')) throw invalid(field, 'must not have a member named __proto__')
  for (const member of Object.values(value)) checkTree(field, member, level + 1)
}

export function checkLevel(field: string, level: number): void {
  const max = workflowLimits.nestingLevelsMax
  if (level > max) throw invalid(field, `must not nest deeper than ${max} levels`, { limit: 'nestingLevelsMax', max })
}

/** Whether two JSON values are equal. The order of members does not matter, the order of items does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
}

/** The path of a member for a message. */
export function memberField(field: string, name: string): string {
  return `${field}.${shownName(name)}`
}
