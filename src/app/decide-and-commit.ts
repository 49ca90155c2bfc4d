import { ColophonError, type ErrorCode, isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

/** Error codes that mean: another writer committed first, so the rows that were read are outdated. */
const staleCodes: readonly ErrorCode[] = ['version_conflict', 'run_changed', 'reads_stale']

export function isStale(error: unknown): boolean {
  return isColophonError(error) && staleCodes.includes(error.code)
}

export type DecideOptions = {
  /** Whether to retry after another error too, because a new read may no longer meet its cause. */
  readonly mayRetry?: (error: unknown, attempt: number) => boolean | Promise<boolean>
  readonly attemptsMax?: number
}

/**
 * Optimistic locking for use cases. The given function reads, decides and commits one batch with the versions that it expects. If
 * another writer committed first, the function is called again, at most `decideAttemptsMax` times.
 *
 * @example
 * await decideAndCommit(async () => {
 *   const { key, revision } = await findKey(tenant, keyId)
 *   return tenant.commit({ kind: 'admin.key.revoked', admin: [toChange(revoked(key), revision)] }, options)
 * })
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

/** Backoff with jitter, so that writers of one record do not collide again. At most 100 ms. */
export function pauseBeforeRetry(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(attempt, 20) * Math.random() * 5))
}

/** The error after the last attempt: `write_contention`, which the caller may retry, because the call named no version. */
export function toContention(error: unknown): unknown {
  if (!isColophonError(error) || error.retryable || !isStale(error)) return error
  return new ColophonError('write_contention', 'Other writers kept changing the same record.', { cause: error })
}
