import type { Idempotency, Outcome } from './batch.ts'
import { ColophonError } from './errors.ts'
import { limits } from './limits.ts'

/** What an idempotency key remembers of its first call: never content. */
export type StoredOutcome = { readonly digest: string; readonly outcome: Outcome; readonly createdAt: number }

/** The first call's outcome when this is a repeat of it; nothing when the key is free (again). */
export function repeatedOutcome(
  idempotency: Idempotency | null,
  stored: StoredOutcome | undefined,
  now: number,
): Outcome | null {
  if (stored === undefined || idempotency === null) return null
  if (stored.createdAt + limits.idempotencyHoldMs <= now) return null
  if (stored.digest !== idempotency.digest) {
    throw new ColophonError('idempotency_key_mismatch', 'The idempotency key was used before for a different call.')
  }
  return stored.outcome
}
