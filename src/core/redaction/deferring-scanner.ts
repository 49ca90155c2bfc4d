import { registerEquivalentScanner, type Scanner } from './scanner.ts'

/** The result of scanning one text: the text without secrets, and the rule of each hit, in order. */
export type ScanResult = { readonly clean: string; readonly hits: readonly string[] }

/** A scanner throws it when scanning a text on the event loop takes too long; the text is then scanned in a thread. */
export class InlineScanTimeout extends Error {
  override readonly name = 'InlineScanTimeout'
}

/**
 * A scanner that scans short texts at once and defers slow ones. A deferred text is returned unredacted and added to
 * `deferred`, so the caller must discard its result while `deferred` is not empty. The caller then scans the deferred texts
 * in a thread, puts the results into `finished`, and repeats.
 */
export function createDeferringScanner(
  scan: Scanner,
  finished: ReadonlyMap<string, ScanResult>,
  deferred: Set<string>,
  isSlow: (text: string) => boolean,
): Scanner {
  const deferring: Scanner = (text, onHit) => {
    const scanned = finished.get(text)
    if (scanned !== undefined) {
      for (const rule of scanned.hits) onHit(rule)
      return scanned.clean
    }
    if (!isSlow(text)) {
      try {
        return scan(text, onHit)
      } catch (error) {
        if (!(error instanceof InlineScanTimeout)) throw error
      }
    }
    deferred.add(text)
    return text
  }
  return registerEquivalentScanner(deferring, scan)
}
