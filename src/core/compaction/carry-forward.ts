import { utf8Bytes } from '../check.ts'
import { ColophonError } from '../errors.ts'
import type { RedactionPolicy } from '../redaction/redaction.ts'
import { findMarkers } from '../redaction/rules/marker.ts'
import type { Scanner } from '../redaction/scanner.ts'

/** The source texts, redacted with the current secrets and rules: a secret may have been registered after they were stored. */
export function cleanSources(texts: readonly string[], scan: Scanner, policy: RedactionPolicy): string[] {
  return texts.map((text) =>
    scan(text, () => {
      if (policy === 'reject')
        throw failed('A source contains a secret, and the redaction policy of this tenant is reject.')
    }),
  )
}

/**
 * The summary as it may be stored: redacted, also when a model wrote it, and with every marker of its sources carried forward.
 * That something was redacted is information about the sources and must not get lost.
 */
export function carryForward(summary: string, sources: readonly string[], scan: Scanner, bytesMax: number): string {
  const clean = scan(summary.toWellFormed().replaceAll('\u0000', ''), () => {})
  const missing = [...new Set(sources.flatMap(markersOf))].filter((marker) => !clean.includes(marker))
  const whole = [clean, ...missing].filter((line) => line !== '').join('\n')
  if (utf8Bytes(whole) > bytesMax)
    throw failed('The summary and the redaction markers of its sources exceed the size limit.')
  // Concatenation can join two halves of a secret.
  if (scan(whole, () => {}) !== whole) throw failed('The summary still contains a secret after redaction.')
  return whole
}

function markersOf(text: string): string[] {
  return findMarkers(text).map(({ start, end }) => text.slice(start, end))
}

function failed(message: string): ColophonError {
  return new ColophonError('compaction_redaction_failed', message)
}
