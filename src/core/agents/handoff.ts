import { isColophonError } from '../errors.ts'
import { checkConfigurable } from '../workflow/configurable.ts'
import type { JsonObject } from '../workflow/json-values.ts'

/** What is wrong with a value of a handoff; null when it fits its schema, or there is none. The text names fields, never values. */
export function schemaProblem(schema: JsonObject | undefined, value: unknown, name: string): string | null {
  if (schema === undefined) return null
  try {
    // Under a member, because the check takes an absent value for an empty object.
    checkConfigurable({ type: 'object', properties: { value: schema }, required: ['value'] }, { value })
    return null
  } catch (error) {
    if (!isColophonError(error)) throw error
    return error.message.replaceAll('configurable.value', name)
  }
}
