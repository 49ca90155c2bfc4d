import { ColophonError } from '../errors.ts'

/** Replaces every secret in a text by a marker and reports each hit by its rule, never by its text. */
export type Scanner = (text: string, onHit: (rule: string) => void) => string

/** Refuses a secret in any of the named identifiers. */
export function refuseSecrets(identifiers: Readonly<Record<string, unknown>>, scan: Scanner): void {
  for (const [field, value] of Object.entries(identifiers)) {
    if (typeof value !== 'string') continue
    scan(value, (rule) => {
      throw new ColophonError('secret_leakage', `${field} holds a secret.`, { details: { field, rule } })
    })
  }
}

const originals = new WeakMap<Scanner, Scanner>()

/** Notes that a scanner finds what another one does; what one has gone over, the other need not. */
export function isSameScanner(scan: Scanner, original: Scanner): Scanner {
  originals.set(scan, originalScanner(original))
  return scan
}

export function originalScanner(scan: Scanner): Scanner {
  return originals.get(scan) ?? scan
}
