import { ColophonError, type ErrorCode, isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

/** Another writer committed first: what was read is no longer what is stored. */
const staleCodes: readonly ErrorCode[] = ['version_conflict', 'run_changed', 'reads_stale']

export function isStale(error: unknown): boolean {
  return isColophonError(error) && staleCodes.includes(error.code)
}

export type DecideOptions = {
  /** Whether another error is worth a new try as well: what caused it may be gone when it is read again. */
  readonly mayRetry?: (error: unknown, attempt: number) => boolean | Promise<boolean>
  readonly attemptsMax?: number
}

/**
 * The optimistic lock of every use case. The given function reads, decides and commits one batch with what it expects. When
 * another writer committed first, it is called again: it reads and decides anew, a bounded number of times.
 */
export async function decideAndCommit<T>(
  readDecideCommit: () => Promise<T>,
  { mayRetry = () => false, attemptsMax = limits.decideAttemptsMax }: DecideOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readDecideCommit()
    } catch (error) {
      if (!isStale(error) && !(await mayRetry(error, attempt))) throw error
      if (attempt >= attemptsMax) throw toContention(error)
      await pauseBeforeRetry(attempt)
    }
  }
}

/** Grows and is random, so that writers of one record do not meet again. At most 100 ms. */
export function pauseBeforeRetry(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(attempt, 20) * Math.random() * 5))
}

/** What the caller gets when the tries are used up: it named no version, so it may send the same call again. */
export function toContention(error: unknown): unknown {
  if (!isColophonError(error) || error.retryable || !isStale(error)) return error
  return new ColophonError('write_contention', 'Other writers kept changing the same record.', { cause: error })
}
