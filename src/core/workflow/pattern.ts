import { RE2JS } from 're2js'
import { checkCharacters } from '../check.ts'
import { invalid } from '../errors.ts'
import { workflowLimits } from './limits.ts'

/** Patterns of workflow authors run in an engine that is linear in the text, whatever the pattern says. */
export function checkPattern(field: string, pattern: unknown): asserts pattern is string {
  checkCharacters(field, pattern, 'patternCharactersMax', workflowLimits.patternCharactersMax)
  try {
    RE2JS.compile(pattern)
  } catch {
    throw invalid(field, 'must be a regular expression in RE2 syntax (no look-around, no back-references)')
  }
}

/** Compiling takes far longer than matching a short text, so it happens once for each place that holds a pattern. */
const compiled = new WeakMap<object, RE2JS>()

/** Whether the pattern is found anywhere in the text. `holder` is the object of the definition the pattern stands in. */
export function patternMatches(holder: object, pattern: string, text: string): boolean {
  let expression = compiled.get(holder)
  if (expression === undefined || expression.pattern() !== pattern) {
    expression = RE2JS.compile(pattern)
    compiled.set(holder, expression)
  }
  return expression.matcher(text).find()
}
