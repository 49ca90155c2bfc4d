import type { RE2JS } from 're2js'
import { checkText } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { compilePattern } from './compile-pattern.ts'
import { freeUntil, markerOf, spanFrom, splitMarkers } from './rules/marker.ts'
import { type ExplainsMarker, explainsWith } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'

/** A pattern of the operator's own. It runs in an engine that is linear whatever the pattern says. */
export type OperatorRule = { readonly id: string; readonly pattern: string; readonly description?: string }

export function checkRuleId(id: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(id))
    throw invalid('rule id', 'must be up to 64 lower-case letters, digits and dashes')
}

export function checkRulePattern(field: string, pattern: string): void {
  checkText(field, pattern)
  const max = limits.rulePatternCharactersMax
  if (pattern.length === 0 || pattern.length > max)
    throw invalid(field, `must be 1 to ${max} characters`, { limit: 'rulePatternCharactersMax', max })
  if (compilePattern(field, pattern).matcher('').matches()) throw invalid(field, 'must not match the empty text')
}

/** How many instructions the patterns compile to. On the worst text, each is executed once per character. */
export function sizeOfRules(rules: readonly OperatorRule[]): number {
  return rules.reduce((sum, { pattern }) => sum + compilePattern('pattern', pattern).programSize(), 0)
}

/** All rules of a tenant together, because each text is read by all of them. */
export function checkRulesSize(rules: readonly OperatorRule[]): void {
  const max = limits.ruleInstructionsMax
  const size = sizeOfRules(rules)
  if (size <= max) return
  throw invalid('pattern', `must not bring the rules of the tenant over ${max} instructions: they would have ${size}`, {
    limit: 'ruleInstructionsMax',
    max,
  })
}

/** Refuses a text that the rules could take too long to read. */
export function checkRuleSteps(text: string, instructions: number): void {
  if (text.length * instructions > limits.ruleStepsMax) throw ruleBudgetSpent()
}

export function ruleBudgetSpent(): ColophonError {
  const details = { limit: 'ruleStepsMax', max: limits.ruleStepsMax, rulesMs: limits.ruleScanMsMax }
  return new ColophonError(
    'redaction_budget_exceeded',
    'A text is too long for the redaction rules of this tenant: instructions times characters is over the limit.',
    { details },
  )
}

/** `mayGoOn` is called after each match, and throws when the rules have taken long enough. */
export function createOperatorScanner(
  rules: readonly OperatorRule[],
  explains: ExplainsMarker = explainsWith(rules.map(({ id }) => id)),
  mayGoOn: () => void = () => {},
): Scanner {
  const compiled = rules.map(({ id, pattern }) => ({ id, expression: compilePattern('pattern', pattern) }))
  return (text, onHit) =>
    compiled.reduce((current, { id, expression }) => {
      mayGoOn()
      return replaceAll(current, expression, { id, explains, onHit, mayGoOn })
    }, text)
}

type Replacing = {
  readonly id: string
  readonly explains: ExplainsMarker
  readonly onHit: (rule: string) => void
  readonly mayGoOn: () => void
}

function replaceAll(text: string, expression: RE2JS, { id, explains, onHit, mayGoOn }: Replacing): string {
  const { ours, foreign } = splitMarkers(text, explains)
  const matcher = expression.matcher(text)
  let result = ''
  let from = 0
  while (matcher.find()) {
    // A search that goes to the end of the text for each match costs its length squared.
    mayGoOn()
    // A marker stands for a secret that is gone already; a rule that matches inside of one would only tear it.
    if (matcher.end() === matcher.start() || freeUntil(ours, matcher.start()) < matcher.end()) continue
    onHit(id)
    // One that the client wrote around the match goes with it.
    const around = spanFrom(foreign, matcher.start())
    const isInside = around !== undefined && around.start < matcher.start() && around.end >= matcher.end()
    const start = Math.max(from, isInside ? around.start : matcher.start())
    if (start >= matcher.end()) continue
    result += text.slice(from, start) + markerOf(id)
    from = isInside ? around.end : matcher.end()
  }
  return from === 0 ? text : result + text.slice(from)
}
