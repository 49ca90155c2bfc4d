import { RE2JS } from 're2js'
import { checkText } from './check.ts'
import { invalid } from './errors.ts'
import { limits } from './limits.ts'
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
  if (compile(field, pattern).matcher('').matches()) throw invalid(field, 'must not match the empty text')
}

export function createOperatorScanner(
  rules: readonly OperatorRule[],
  explains: ExplainsMarker = explainsWith(rules.map(({ id }) => id)),
): Scanner {
  const compiled = rules.map(({ id, pattern }) => ({ id, expression: compile('pattern', pattern) }))
  return (text, onHit) =>
    compiled.reduce((current, { id, expression }) => replaceAll(current, expression, { id, explains, onHit }), text)
}

type Replacing = {
  readonly id: string
  readonly explains: ExplainsMarker
  readonly onHit: (rule: string) => void
}

function replaceAll(text: string, expression: RE2JS, { id, explains, onHit }: Replacing): string {
  const { ours, foreign } = splitMarkers(text, explains)
  const matcher = expression.matcher(text)
  let result = ''
  let from = 0
  while (matcher.find()) {
    // A marker stands for a secret that is gone already; a rule that matches inside of one would only tear it.
    if (matcher.end() === matcher.start() || freeUntil(ours, matcher.start()) < matcher.end()) continue
    onHit(id)
    // One that somebody wrote around the match goes with it.
    const around = spanFrom(foreign, matcher.start())
    const isInside = around !== undefined && around.start < matcher.start() && around.end >= matcher.end()
    const start = Math.max(from, isInside ? around.start : matcher.start())
    if (start >= matcher.end()) continue
    result += text.slice(from, start) + markerOf(id)
    from = isInside ? around.end : matcher.end()
  }
  return from === 0 ? text : result + text.slice(from)
}

function compile(field: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch {
    throw invalid(field, 'must be a regular expression in RE2 syntax (no look-around, no back-references)')
  }
}
