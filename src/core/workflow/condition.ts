import { invalid, isColophonError } from '../errors.ts'
import { isErased } from './erased-value.ts'
import { isJsonObject, sameJson } from './json-values.ts'
import { checkPattern, newPatternBudget, type PatternBudget, patternMatches, spendPattern } from './pattern.ts'
import { anything, closed, oneOf, text } from './shape-checks.ts'
import { resolveTemplates } from './template.ts'
import { isPath, ownMember, type RunValues, readMembers, readPath } from './value-path.ts'

export type EdgeCondition = {
  readonly type: 'equals' | 'notEquals' | 'contains' | 'regex'
  /** `variables.x`, `inputs.x`, `outputs.node.x`, `output.x` (of the edge's own source), or a text with templates. */
  readonly left: string
  /** A JSON value; for regex, a pattern. */
  readonly right: unknown
}

/** The prefix of paths to the outputs of the edge's source node. */
const ownOutput = 'output.'

const shape = closed({
  type: oneOf('equals', 'notEquals', 'contains', 'regex'),
  left: text('conditionLeftCharactersMax'),
  right: anything,
})

/** Checks the condition of an edge at registration. */
export function checkCondition(field: string, condition: unknown): void {
  if (isJsonObject(condition) && (condition.type === 'expression' || condition.expression !== undefined)) {
    throw invalid(field, 'must not be an expression: this host evaluates no code; use equals, contains or regex')
  }
  shape(field, condition)
  const { type, left, right } = condition as EdgeCondition
  if (!left.includes('{{') && !isPath(left) && !(left.startsWith(ownOutput) && isPath(`outputs.${left}`))) {
    throw invalid(`${field}.left`, 'must be a path from variables, inputs, outputs or output, or contain a template')
  }
  if (type === 'regex') checkPattern(`${field}.right`, right)
}

/**
 * Whether the condition is true. A left side without a value equals no value: notEquals is true and the others are false. With an erased
 * left side every condition is false: a forget must not open an edge that the value would have closed. `sourceNodeId` is the node whose
 * outputs `output.` paths read.
 */
export function evaluateCondition(
  condition: EdgeCondition,
  values: RunValues,
  sourceNodeId?: string,
  budget: PatternBudget = newPatternBudget(),
): boolean {
  const { type, right } = condition
  const left = leftValue(condition.left, values, sourceNodeId)
  if (isErased(left)) return false
  if (type === 'notEquals') return left === undefined || !sameJson(left, right)
  if (left === undefined) return false
  if (type === 'equals') return sameJson(left, right)
  if (type === 'contains') return contains(left, right)
  if (typeof left !== 'string' || typeof right !== 'string') return false
  return patternMatches(condition, right, left, (steps) => spendPattern(budget, steps))
}

function leftValue(left: string, values: RunValues, sourceNodeId: string | undefined): unknown {
  if (left.includes('{{')) return resolvedOrNothing(left, values)
  if (!left.startsWith(ownOutput)) return readPath(left, values)
  const outputs = sourceNodeId === undefined ? undefined : ownMember(values.outputs, sourceNodeId)
  return readMembers(left.slice(ownOutput.length), outputs)
}

/** A template that cannot be resolved has no value, instead of an error: a run that could neither start nor skip a node would hang. */
function resolvedOrNothing(left: string, values: RunValues): unknown {
  try {
    return resolveTemplates(left, values)
  } catch (error) {
    if (isColophonError(error)) return undefined
    throw error
  }
}

function contains(left: unknown, right: unknown): boolean {
  if (typeof left === 'string') return typeof right === 'string' && left.includes(right)
  return Array.isArray(left) && left.some((item) => sameJson(item, right))
}
