import { type ClientError, isClientError } from './error.ts'

/**
 * Whether a request can be repeated. `read`: yes, it changes nothing. `keyed`: yes, every attempt has the same idempotency
 * key, so the server returns the outcome of the first. `once`: no, a second attempt may have a second effect.
 */
export type Repeat = 'read' | 'keyed' | 'once'

/** How failed attempts are retried: with exponential backoff and jitter. */
export type RetryOptions = {
  /** Attempts after the first. */
  readonly retries: number
  /** The delay before the second attempt. It doubles with each attempt. */
  readonly baseMs: number
  /** The longest delay. If the server asks for a longer one (`Retry-After`), the call fails. */
  readonly maxMs: number
}

export const retryDefaults: RetryOptions = { retries: 3, baseMs: 200, maxMs: 20_000 }

/** Conflicts that are refused before anything is stored, and that end by themselves. */
const transientConflicts = ['redaction_stale', 'run_changed', 'write_contention', 'source_event_exists']

/** Not implemented, and a full quota: waiting alone helps against neither. */
const lastingStatuses = [501, 507]

/** Whether the same request may succeed later. */
export function isTransient(error: ClientError): boolean {
  const { status, code } = error
  if (status === undefined) return code !== 'unexpected_answer'
  return status === 429 || (status >= 500 && !lastingStatuses.includes(status)) || transientConflicts.includes(code)
}

/** The delay before the next attempt; null if there is none. */
export function nextDelay(error: unknown, repeat: Repeat, attempt: number, options: RetryOptions): number | null {
  if (!isClientError(error) || attempt >= options.retries || !isTransient(error)) return null
  // The rate limit is checked before anything is stored, so even these can be repeated.
  if (repeat === 'once' && error.status !== 429) return null
  const retryAfterMs = error.retryAfterMs ?? 0
  return retryAfterMs > options.maxMs ? null : Math.max(retryAfterMs, backoff(attempt, options))
}

/** Exponential backoff with jitter, so that clients that failed together do not retry together. */
export function backoff(attempt: number, { baseMs, maxMs }: RetryOptions): number {
  return Math.min(baseMs * 2 ** attempt, maxMs) * (0.5 + Math.random() / 2)
}

/** Waits `ms`. If the signal aborts, it throws the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
