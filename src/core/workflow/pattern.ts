import { RE2JS } from 're2js'
import { checkCharacters } from '../check.ts'
import { ColophonError } from '../errors.ts'
import { compilePattern } from '../redaction/compile-pattern.ts'
import { workflowLimits } from './limits.ts'

/** Patterns of workflow authors run in an engine that is linear in the text, whatever the pattern says. */
export function checkPattern(field: string, pattern: unknown): asserts pattern is string {
  checkCharacters(field, pattern, 'patternCharactersMax', workflowLimits.patternCharactersMax)
  compilePattern(field, pattern)
}

/** What conditions may still cost while one step of a run is decided: instructions of patterns times characters. */
export type PatternBudget = { steps: number }

export const newPatternBudget = (): PatternBudget => ({ steps: workflowLimits.patternStepsMax })

/** Compiling takes far longer than matching a short text, so it happens once for each place that holds a pattern. */
const compiled = new WeakMap<object, RE2JS>()

/**
 * Whether the pattern is found anywhere in the text. `holder` is the object of the definition the pattern stands in;
 * `spend` gets what it may cost, and throws when that is too much.
 */
export function patternMatches(holder: object, pattern: string, text: string, spend: (steps: number) => void): boolean {
  let expression = compiled.get(holder)
  if (expression === undefined || expression.pattern() !== pattern) {
    expression = RE2JS.compile(pattern)
    compiled.set(holder, expression)
  }
  spend(expression.programSize() * text.length)
  return expression.matcher(text).find()
}

export function spendPattern(budget: PatternBudget, steps: number): void {
  budget.steps -= steps
  if (budget.steps >= 0) return
  const details = { limit: 'patternStepsMax', max: workflowLimits.patternStepsMax }
  throw new ColophonError(
    'pattern_budget_exceeded',
    'A condition compares a text that is too long for its pattern: instructions times characters is over the limit.',
    { details },
  )
}
