import { ColophonError } from '../errors.ts'

/**
 * Replaces every secret in a text with a marker. `onHit` is called once per match, with the id of the rule or secret that
 * matched and never with the matched text.
 *
 * @example
 * const scan = combineScanners(createKnownValueScanner(secrets), scanForSecretPatterns)
 * scan('password=Tr0ub4dor&3', (rule) => hits.push(rule)) // 'password=[REDACTED:password]'
 */
export type Scanner = {
  (text: string, onHit: (rule: string) => void): string
  /** The scanner that this one is equivalent to. */
  [original]?: Scanner
}

// A property and not a WeakMap: a scanner is made for each commit, and an entry of a WeakMap costs as much as a short scan.
const original = Symbol('original')

/**
 * Throws `secret_leakage` when an identifier contains a secret. Identifiers are refused and not rewritten, because a rewritten
 * identifier would name something else.
 */
export function refuseSecrets(identifiers: Readonly<Record<string, unknown>>, scan: Scanner): void {
  for (const [field, value] of Object.entries(identifiers)) {
    if (typeof value !== 'string') continue
    scan(value, (rule) => {
      throw new ColophonError('secret_leakage', `${field} contains a secret.`, { details: { field, rule } })
    })
  }
}

/** Records that `scan` finds the same secrets as `other`: a value that one has scanned need not be scanned by the other. */
export function registerEquivalentScanner(scan: Scanner, other: Scanner): Scanner {
  scan[original] = originalScanner(other)
  return scan
}

/** The scanner that `scan` is equivalent to; `scan` itself when it was not registered. */
export function originalScanner(scan: Scanner): Scanner {
  return scan[original] ?? scan
}

/** Runs scanners in sequence, each on the result of the previous one. Known values come first, because they name the secret. */
export function combineScanners(...scanners: readonly Scanner[]): Scanner {
  return (text, onHit) => scanners.reduce((current, scan) => scan(current, onHit), text)
}
