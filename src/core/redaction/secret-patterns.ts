import { compileRules, type SecretMatch } from './rules/compile.ts'
import { findDottedTokens } from './rules/discord.ts'
import { builtInRules } from './rules/index.ts'
import { markerFreeUntil, markerOf, splitMarkers } from './rules/marker.ts'
import { type IsKnownMarkerId, knownMarkerIds } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'
import { unwrapMarkers } from './unwrap-markers.ts'

/** Compiled on first use: a process that only reads needs none of it. */
let findByAnchor: ReturnType<typeof compileRules> | undefined

function findSecrets(text: string): readonly SecretMatch[] {
  findByAnchor ??= compileRules(builtInRules)
  const found = findByAnchor(text)
  const dotted = findDottedTokens(text)
  return dotted.length === 0 ? found : [...found, ...dotted]
}

/**
 * A replacement can expose the text next to it, so a changed text is scanned again until nothing matches. The limit bounds
 * the cost of a crafted text; ordinary texts are clean after the second pass.
 */
const passesMax = 4

/**
 * The scanner of the built-in rules: secrets with a recognisable format, values after a name such as `password`, and markers
 * of other systems, which are rewritten to ours. `isKnownId` says which markers of a text are genuine; the inside of any
 * other marker is scanned like ordinary text.
 */
export function createPatternScanner(isKnownId: IsKnownMarkerId): Scanner {
  return (text, onHit) => {
    let current = text
    for (let pass = 0; pass < passesMax; pass++) {
      const next = scanOnce(current, isKnownId, onHit)
      if (next === current) break
      current = next
    }
    return current
  }
}

/** The built-in rules for callers without a tenant: only built-in marker ids are known. */
export const scanForSecretPatterns: Scanner = createPatternScanner(knownMarkerIds([]))

function scanOnce(text: string, isKnownId: IsKnownMarkerId, onHit: (rule: string) => void): string {
  const found = [...findSecrets(text), ...findWrapped(text, isKnownId)]
  if (found.length === 0) return text
  const { known } = splitMarkers(text, isKnownId)
  const secrets = joinOverlapping(
    found.filter(
      ({ anchor, start, end }) => markerFreeUntil(known, start) >= end && markerFreeUntil(known, anchor) > anchor,
    ),
  )
  let clean = ''
  let done = 0
  for (const { start, end, rule, label } of secrets) {
    // The label comes from the scanned text, so it may contain a secret too.
    clean += text.slice(done, start) + markerOf(findSecrets(label).length > 0 ? rule : label)
    onHit(rule)
    done = end
  }
  return clean + text.slice(done)
}

/** Secrets inside a forged marker. */
function findWrapped(text: string, isKnownId: IsKnownMarkerId): readonly SecretMatch[] {
  const unwrapped = unwrapMarkers(text, isKnownId)
  if (unwrapped === undefined) return []
  return findSecrets(unwrapped.text).flatMap((match) => {
    const span = unwrapped.toOriginal(match)
    return span ? [{ ...match, ...span, anchor: span.start }] : []
  })
}

/**
 * Merges overlapping matches into one that covers both, so that no part of a secret remains. The marker names the rule that
 * knows the format of the secret, not the rule that matched by the name in front.
 */
function joinOverlapping(found: readonly SecretMatch[]): readonly SecretMatch[] {
  const joined: SecretMatch[] = []
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
