import { RE2JS } from 're2js'
import { checkCharacters } from '../check.ts'
import { ColophonError } from '../errors.ts'
import { compilePattern } from '../redaction/compile-pattern.ts'
import { workflowLimits } from './workflow-limits.ts'

/** Checks a pattern of a workflow author. Patterns run in RE2, whose time is linear in the text for every pattern. */
export function checkPattern(field: string, pattern: unknown): asserts pattern is string {
  checkCharacters(field, pattern, 'patternCharactersMax', workflowLimits.patternCharactersMax)
  compilePattern(field, pattern)
}

/** The budget of conditions while the next action of a run is decided: instructions of patterns times characters. */
export type PatternBudget = { steps: number }

export const newPatternBudget = (): PatternBudget => ({ steps: workflowLimits.patternStepsMax })

/** Compiling takes much longer than matching a short text, so compiled patterns are cached by the object that contains them. */
const compiled = new WeakMap<object, RE2JS>()

/**
 * Whether the pattern matches anywhere in the text. `holder` is the object of the definition that contains the pattern. `spend` gets the
 * cost before the match, and throws when it is too high.
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

/** Reduces the budget; throws when it is used up. */
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
