import { ColophonError } from '../errors.ts'
import type { WorkflowDefinition } from './definition.ts'
import { isErased } from './erased-value.ts'
import { isJsonObject, type JsonObject } from './json-values.ts'

export type VariableType = 'string' | 'number' | 'boolean' | 'object' | 'array'

export function isOfVariableType(type: VariableType, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return typeof value === type
}

/** The variables of a new run: the defaults, overridden by inputs of the same name. Other inputs do not become variables. */
export function initialVariables(definition: WorkflowDefinition, inputs: JsonObject): Record<string, unknown> {
  const variables: Record<string, unknown> = {}
  for (const [index, { name, type, required, defaultValue }] of definition.variables.entries()) {
    const given = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    if (given !== undefined && !isErased(given) && !isOfVariableType(type, given)) {
      throw refusal(index, name, `must be of the declared type, ${type}`)
    }
    const value = given ?? defaultValue
    if (required === true && (value === undefined || value === null)) {
      throw refusal(index, name, 'is required: give it in inputs')
    }
    if (value !== undefined) variables[name] = value
  }
  return variables
}

/** The names of declared variables were checked at registration, so the error may repeat them. */
function refusal(index: number, name: string, problem: string): ColophonError {
  const field = `variables[${index}]`
  return new ColophonError('validation_error', `${field} (${name}) ${problem}.`, { details: { field, variable: name } })
}
