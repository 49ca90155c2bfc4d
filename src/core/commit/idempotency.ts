import { ColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Idempotency, Outcome } from './batch.ts'
import { RepeatedRefusal } from './kept-refusal.ts'

/** What is stored under an idempotency key: the outcome of its first call, never content. */
export type StoredOutcome = { readonly digest: string; readonly outcome: Outcome; readonly createdAt: number }

/**
 * The key of the row that replaces an idempotency key once what its call stored was forgotten. It is a keyed digest, so the
 * original cannot be guessed; a retry of the same call is recognised by it. No operation has such a name.
 */
export function tombstoneOfKey(digest: (text: string) => string, key: string): string {
  return `erased:${digest(`idempotency.${key}`)}`
}

/**
 * The row of a tombstone: it has nothing of the call, not even its digest. Rows are removed `idempotencyHoldMs` after they were
 * made; a tombstone is dated ahead, so that the same statement removes it `erasedKeyHoldMs` after the erasing.
 */
export function tombstoneAt(now: number): StoredOutcome {
  const outcome = { position: 0, entries: [], ended: [], jobs: [], admin: [] }
  return { digest: '', outcome, createdAt: now + limits.erasedKeyHoldMs - limits.idempotencyHoldMs }
}

/** The rows to look up for a call: that of its key, and the tombstone of it. */
export function outcomeKeys({ key, tombstone }: Pick<Idempotency, 'key' | 'tombstone'>): [string, string] {
  return [key, tombstone]
}

/** The first call's outcome when this is a repeat of it; nothing when the key is free (again). */
export function repeatedOutcome(
  idempotency: Idempotency | null,
  stored: (key: string) => StoredOutcome | undefined,
  now: number,
): Outcome | null {
  if (idempotency === null) return null
  if (isHeld(stored(idempotency.tombstone), now)) {
    throw new ColophonError('content_erased', 'What the first call with this idempotency key stored was forgotten.')
  }
  const first = stored(idempotency.key)
  if (!isHeld(first, now)) return null
  if (first.digest !== idempotency.digest) {
    throw new ColophonError('idempotency_key_mismatch', 'The idempotency key was used before for a different call.')
  }
  if (first.outcome.refusal) throw new RepeatedRefusal(first.outcome.refusal)
  return first.outcome
}

function isHeld(stored: StoredOutcome | undefined, now: number): stored is StoredOutcome {
  return stored !== undefined && stored.createdAt + limits.idempotencyHoldMs > now
}
