import { isSameScanner, type Scanner } from './scanner.ts'

/** What a scanner made of one text: the text without secrets, and the rule of each hit, in order. */
export type Scanned = { readonly clean: string; readonly hits: readonly string[] }

/** A scanner throws it when a text turns out to take longer than the caller can wait for. */
export class ScanTakesLong extends Error {
  override readonly name = 'ScanTakesLong'
}

/**
 * A scanner that scans what takes no time, and puts off the rest: such a text comes back as it is and is noted in
 * `deferred`. So a result that was made while anything was put off is worth nothing, and its maker throws it away; it is
 * made again once `known` has what was missing.
 */
export function createDeferringScanner(
  scan: Scanner,
  known: ReadonlyMap<string, Scanned>,
  deferred: Set<string>,
  takesLong: (text: string) => boolean,
): Scanner {
  const deferring: Scanner = (text, onHit) => {
    const scanned = known.get(text)
    if (scanned !== undefined) {
      for (const rule of scanned.hits) onHit(rule)
      return scanned.clean
    }
    if (!takesLong(text)) {
      try {
        return scan(text, onHit)
      } catch (error) {
        if (!(error instanceof ScanTakesLong)) throw error
      }
    }
    deferred.add(text)
    return text
  }
  return isSameScanner(deferring, scan)
}
