import { type Candidate, compileRules } from './rules/compile.ts'
import { rules } from './rules/index.ts'
import { freeUntil, judgeMarkers, markerOf, markersIn } from './rules/marker.ts'
import type { Scanner } from './scanner.ts'

const findSecrets = compileRules(rules)

/**
 * The built-in scanner: shapes that are secrets wherever they stand, values behind telling names, and markers of
 * other systems, which are turned into ours.
 *
 * A replacement can free what stood beside it, so a changed text is read again until nothing is found. The limit
 * only keeps a crafted text from costing more than its length; ordinary ones are done after the second reading.
 */
const readingsMax = 4

const ruleIds = new Set([...rules.map(({ id }) => id), 'byok', 'foreign-marker'])

export const scanForSecretPatterns: Scanner = (text, onHit) => {
  // A marker with a secret for its name is not one of ours.
  let current = judgeMarkers(text, (id) => {
    const [secret] = ruleIds.has(id) ? [] : findSecrets(id)
    if (secret === undefined) return null
    onHit(secret.rule)
    return markerOf(secret.rule)
  })
  for (let reading = 0; reading < readingsMax; reading++) {
    const next = readOnce(current, onHit)
    if (next === current) break
    current = next
  }
  return current
}

function readOnce(text: string, onHit: (rule: string) => void): string {
  const found = findSecrets(text)
  if (found.length === 0) return text
  const markers = markersIn(text)
  const secrets = joinOverlapping(
    found.filter(({ anchor, start, end }) => freeUntil(markers, start) >= end && freeUntil(markers, anchor) > anchor),
  )
  let clean = ''
  let done = 0
  for (const { start, end, rule, label } of secrets) {
    // A label that was written by somebody else may hold a secret too.
    clean += text.slice(done, start) + markerOf(findSecrets(label).length > 0 ? rule : label)
    onHit(rule)
    done = end
  }
  return clean + text.slice(done)
}

/**
 * Two finds on the same characters become one that covers both, so no end of a secret is left over. The name comes
 * from the rule that knows the secret's own shape.
 */
function joinOverlapping(found: readonly Candidate[]): readonly Candidate[] {
  const joined: Candidate[] = []
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last === undefined || next.start >= last.end) {
      joined.push(next)
      continue
    }
    const named = last.contextual && !next.contextual ? next : last
    joined[joined.length - 1] = { ...named, start: last.start, end: Math.max(last.end, next.end) }
  }
  return joined
}
