import { utf8Bytes } from '../check.ts'
import { ColophonError } from '../errors.ts'
import type { RedactionPolicy } from '../redaction/redaction.ts'
import { markersIn } from '../redaction/rules/marker.ts'
import type { Scanner } from '../redaction/scanner.ts'

/** The texts as they may be read today: a secret that became known after they were stored is taken out of them too. */
export function cleanSources(texts: readonly string[], scan: Scanner, policy: RedactionPolicy): string[] {
  return texts.map((text) =>
    scan(text, () => {
      if (policy === 'reject') throw failed('A source holds a secret, and the tenant refuses those.')
    }),
  )
}

/**
 * The summary as it may be stored: without any secret, whoever wrote it, and with every marker of its sources. That
 * something was taken out is a fact about the sources like any other.
 */
export function carryForward(summary: string, sources: readonly string[], scan: Scanner, bytesMax: number): string {
  const clean = scan(summary.toWellFormed().replaceAll('\u0000', ''), () => {})
  const missing = [...new Set(sources.flatMap(markersOf))].filter((marker) => !clean.includes(marker))
  const whole = [clean, ...missing].filter((line) => line !== '').join('\n')
  if (utf8Bytes(whole) > bytesMax) throw failed('The summary has no room for the markers of what was redacted.')
  // Putting texts side by side can make a secret of two halves.
  if (scan(whole, () => {}) !== whole) throw failed('The summary cannot be made free of secrets.')
  return whole
}

function markersOf(text: string): string[] {
  return markersIn(text).map(({ start, end }) => text.slice(start, end))
}

function failed(message: string): ColophonError {
  return new ColophonError('compaction_redaction_failed', message)
}
