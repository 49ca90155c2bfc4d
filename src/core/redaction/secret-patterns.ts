import { type Candidate, compileRules } from './rules/compile.ts'
import { findDottedTokens } from './rules/discord.ts'
import { rules } from './rules/index.ts'
import { freeUntil, markerOf, splitMarkers } from './rules/marker.ts'
import { type ExplainsMarker, explainsWith } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'
import { unwrapMarkers } from './unwrap-markers.ts'

const findByAnchor = compileRules(rules)

function findSecrets(text: string): readonly Candidate[] {
  const found = findByAnchor(text)
  const dotted = findDottedTokens(text)
  return dotted.length === 0 ? found : [...found, ...dotted]
}

/**
 * The built-in scanner: shapes that are secrets wherever they stand, values behind telling names, and markers of
 * other systems, which are turned into ours.
 *
 * A replacement can free what stood beside it, so a changed text is read again until nothing is found. The limit
 * only keeps a crafted text from costing more than its length; ordinary ones are done after the second reading.
 */
const readingsMax = 4

/** `explains` says which markers of a text stand for a secret that is gone; the inside of others is text like any other. */
export function createPatternScanner(explains: ExplainsMarker): Scanner {
  return (text, onHit) => {
    let current = text
    for (let reading = 0; reading < readingsMax; reading++) {
      const next = readOnce(current, explains, onHit)
      if (next === current) break
      current = next
    }
    return current
  }
}

export const scanForSecretPatterns: Scanner = createPatternScanner(explainsWith([]))

function readOnce(text: string, explains: ExplainsMarker, onHit: (rule: string) => void): string {
  const found = [...findSecrets(text), ...findWrapped(text, explains)]
  if (found.length === 0) return text
  const { ours } = splitMarkers(text, explains)
  const secrets = joinOverlapping(
    found.filter(({ anchor, start, end }) => freeUntil(ours, start) >= end && freeUntil(ours, anchor) > anchor),
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

/** Secrets that the client wrote a marker around. */
function findWrapped(text: string, explains: ExplainsMarker): readonly Candidate[] {
  const unwrapped = unwrapMarkers(text, explains)
  if (unwrapped === undefined) return []
  return findSecrets(unwrapped.text).flatMap((candidate) => {
    const span = unwrapped.toOriginal(candidate)
    return span ? [{ ...candidate, ...span, anchor: span.start }] : []
  })
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
