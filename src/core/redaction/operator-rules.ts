import type { RE2JS } from 're2js'
import { checkText } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { compilePattern } from './compile-pattern.ts'
import { firstSpanEndingAfter, markerFreeUntil, markerOf, splitMarkers } from './rules/marker.ts'
import { type IsKnownMarkerId, knownMarkerIds } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'

/** A redaction rule that a tenant's operator registered. RE2 runs it in linear time. */
export type OperatorRule = { readonly id: string; readonly pattern: string; readonly description?: string }

/** Refuses a rule id that a marker cannot contain. */
export function checkRuleId(id: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(id))
    throw invalid('rule id', 'must be up to 64 lower-case letters, digits and dashes')
}

/** Refuses a pattern that is too long, does not compile or matches the empty text. */
export function checkRulePattern(field: string, pattern: string): void {
  checkText(field, pattern)
  const max = limits.rulePatternCharactersMax
  if (pattern.length === 0 || pattern.length > max)
    throw invalid(field, `must be 1 to ${max} characters`, { limit: 'rulePatternCharactersMax', max })
  if (compilePattern(field, pattern).matcher('').matches()) throw invalid(field, 'must not match the empty text')
}

/** The number of RE2 instructions that the patterns compile to. In the worst case each is executed once per character. */
export function countRuleInstructions(rules: readonly OperatorRule[]): number {
  return rules.reduce((sum, { pattern }) => sum + compilePattern('pattern', pattern).programSize(), 0)
}

/** Limits the instructions of all rules of a tenant together, because each text is scanned by all of them. */
export function checkRulesSize(rules: readonly OperatorRule[]): void {
  const max = limits.ruleInstructionsMax
  const size = countRuleInstructions(rules)
  if (size <= max) return
  throw invalid(
    'pattern',
    `must not bring the rules of the tenant above ${max} instructions: they would have ${size}`,
    {
      limit: 'ruleInstructionsMax',
      max,
    },
  )
}

/** Refuses a text that the rules could take too long to scan. */
export function checkRuleSteps(text: string, instructions: number): void {
  if (text.length * instructions > limits.ruleStepsMax) throw ruleBudgetExceeded()
}

/** The error for a text that exceeds `ruleStepsMax` or `ruleScanMsMax`. */
export function ruleBudgetExceeded(): ColophonError {
  const details = { limit: 'ruleStepsMax', max: limits.ruleStepsMax, rulesMs: limits.ruleScanMsMax }
  return new ColophonError(
    'redaction_budget_exceeded',
    'A text is too long for the redaction rules of this tenant: instructions times characters exceeds the limit.',
    { details },
  )
}

/** The scanner of a tenant's rules. `checkTime` is called before each rule and after each match; it throws when the time is up. */
export function createOperatorScanner(
  rules: readonly OperatorRule[],
  isKnownId: IsKnownMarkerId = knownMarkerIds(rules.map(({ id }) => id)),
  checkTime: () => void = () => {},
): Scanner {
  const compiled = rules.map(({ id, pattern }) => ({ id, expression: compilePattern('pattern', pattern) }))
  return (text, onHit) =>
    compiled.reduce((current, { id, expression }) => {
      checkTime()
      return replaceAll(current, expression, { id, isKnownId, onHit, checkTime })
    }, text)
}

type Replacement = {
  readonly id: string
  readonly isKnownId: IsKnownMarkerId
  readonly onHit: (rule: string) => void
  readonly checkTime: () => void
}

function replaceAll(text: string, expression: RE2JS, { id, isKnownId, onHit, checkTime }: Replacement): string {
  const { known, foreign } = splitMarkers(text, isKnownId)
  const matcher = expression.matcher(text)
  let result = ''
  let from = 0
  while (matcher.find()) {
    // A pattern that searches to the end of the text for each match costs the square of its length.
    checkTime()
    // A genuine marker is not rewritten: a rule that matches inside it would only break it.
    if (matcher.end() === matcher.start() || markerFreeUntil(known, matcher.start()) < matcher.end()) continue
    onHit(id)
    // A forged marker around the match is replaced with it.
    const around = firstSpanEndingAfter(foreign, matcher.start())
    const isInside = around !== undefined && around.start < matcher.start() && around.end >= matcher.end()
    const start = Math.max(from, isInside ? around.start : matcher.start())
    if (start >= matcher.end()) continue
    result += text.slice(from, start) + markerOf(id)
    from = isInside ? around.end : matcher.end()
  }
  return from === 0 ? text : result + text.slice(from)
}
