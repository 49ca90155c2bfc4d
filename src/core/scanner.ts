import { ColophonError } from './errors.ts'

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
