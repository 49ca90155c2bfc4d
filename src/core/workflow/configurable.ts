import { canonicalJson } from '../canonical.ts'
import { invalid } from '../errors.ts'
import type { ConfigurableSchema, JsonType } from './configurable-schema.ts'
import { copyJson, isJsonObject, memberField, sameJson } from './json-values.ts'
import { patternMatches } from './pattern.ts'
import { workflowLimits } from './workflow-limits.ts'

export { checkConfigurableSchema } from './configurable-schema.ts'

/** What is wrong, and where. It is returned, not thrown, because anyOf, oneOf and not continue after a problem. */
type Problem = { readonly field: string; readonly problem: string }
type Budget = { steps: number }
type Rules = Exclude<ConfigurableSchema, boolean>

/** Checks the `configurable` of a run against the workflow's schema, which was checked at registration. Without a schema, any value passes. */
export function checkConfigurable(schema: unknown, configurable: unknown): void {
  if (schema === undefined) return
  // OpenWOP: missing run options are an empty object.
  const value = copyJson('configurable', configurable ?? {}, 'configurableBytesMax')
  const found = problemOf(schema as ConfigurableSchema, value, 'configurable', { steps: 0 })
  if (found !== undefined) throw invalid(found.field, found.problem)
}

/** Counts steps: a short schema can compare each of its values with each value of the configurable. */
function spend(budget: Budget, steps: number): void {
  const max = workflowLimits.configurableStepsMax
  budget.steps += steps
  if (budget.steps > max) {
    throw invalid('configurable', 'takes too long to check', { limit: 'configurableStepsMax', max })
  }
}

function problemOf(schema: ConfigurableSchema, value: unknown, field: string, budget: Budget): Problem | undefined {
  spend(budget, 1)
  if (schema === true) return undefined
  if (schema === false) return { field, problem: 'is not allowed' }
  const problem = valueProblem(schema, value, budget)
  if (problem !== undefined) return { field, problem }
  return (
    objectProblem(schema, value, field, budget) ??
    arrayProblem(schema, value, field, budget) ??
    combinedProblem(schema, value, field, budget)
  )
}

/** The keywords about a single value. Those for texts and numbers ignore values of other types. */
function valueProblem(schema: Rules, value: unknown, budget: Budget): string | undefined {
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return `must be of type ${types.join(' or ')}`
  if (schema.enum !== undefined) {
    spend(budget, schema.enum.length)
    if (!schema.enum.some((allowed) => sameJson(allowed, value))) return 'must be one of the values of the schema'
  }
  if (Object.hasOwn(schema, 'const') && !sameJson(schema.const, value)) return 'must be the value of the schema'
  if (typeof value === 'number') return numberProblem(schema, value)
  if (typeof value === 'string') return textProblem(schema, value, budget)
  return undefined
}

function isOfType(type: JsonType, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function numberProblem(schema: Rules, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `must be more than ${exclusiveMinimum}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `must be less than ${exclusiveMaximum}`
  return undefined
}

function textProblem(schema: Rules, value: string, budget: Budget): string | undefined {
  const { minLength, maxLength, pattern } = schema
  spend(budget, value.length)
  // JSON Schema counts characters, not UTF-16 units.
  const characters = minLength === undefined && maxLength === undefined ? 0 : [...value].length
  if (minLength !== undefined && characters < minLength) return `must be at least ${minLength} characters`
  if (maxLength !== undefined && characters > maxLength) return `must be at most ${maxLength} characters`
  if (pattern !== undefined && !patternMatches(schema, pattern, value, (steps) => spend(budget, steps)))
    return 'must match the pattern of the schema'
  return undefined
}

function objectProblem(schema: Rules, value: unknown, field: string, budget: Budget): Problem | undefined {
  if (!isJsonObject(value)) return undefined
  const { properties = {}, required = [], additionalProperties = true } = schema
  spend(budget, required.length)
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return { field: memberField(field, missing), problem: 'is required' }
  for (const [name, member] of Object.entries(value)) {
    const isDeclared = Object.hasOwn(properties, name)
    const rule = (isDeclared ? properties[name] : undefined) ?? additionalProperties
    // A name that the schema does not declare comes from the caller, so the error does not repeat it.
    const memberPath = isDeclared ? memberField(field, name) : `${field}.*`
    const found = problemOf(rule, member, memberPath, budget)
    if (found !== undefined) return found
  }
  return undefined
}

function arrayProblem(schema: Rules, value: unknown, field: string, budget: Budget): Problem | undefined {
  if (!Array.isArray(value)) return undefined
  const { minItems, maxItems, uniqueItems, items } = schema
  if (minItems !== undefined && value.length < minItems) {
    return { field, problem: `must have at least ${minItems} items` }
  }
  if (maxItems !== undefined && value.length > maxItems)
    return { field, problem: `must have at most ${maxItems} items` }
  spend(budget, value.length)
  if (uniqueItems === true && new Set(value.map(canonicalJson)).size < value.length) {
    return { field, problem: 'must not have the same item twice' }
  }
  if (items === undefined) return undefined
  for (const [index, item] of value.entries()) {
    const found = problemOf(items, item, `${field}[${index}]`, budget)
    if (found !== undefined) return found
  }
  return undefined
}

function combinedProblem(schema: Rules, value: unknown, field: string, budget: Budget): Problem | undefined {
  const { anyOf, allOf, oneOf, not } = schema
  const fits = (candidate: ConfigurableSchema) => problemOf(candidate, value, field, budget) === undefined
  for (const part of allOf ?? []) {
    const found = problemOf(part, value, field, budget)
    if (found !== undefined) return found
  }
  if (anyOf !== undefined && !anyOf.some(fits)) return { field, problem: 'must fit one of the schemas in anyOf' }
  if (oneOf !== undefined && oneOf.filter(fits).length !== 1) {
    return { field, problem: 'must fit exactly one of the schemas in oneOf' }
  }
  if (not !== undefined && fits(not)) return { field, problem: 'must not fit the schema in not' }
  return undefined
}
