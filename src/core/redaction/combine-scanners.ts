import type { Scanner } from './scanner.ts'

/** One after the other, each on what the one before left: known values first, because they know the secret's name. */
export function combineScanners(...scanners: readonly Scanner[]): Scanner {
  return (text, onHit) => scanners.reduce((current, scan) => scan(current, onHit), text)
}
