import { type ClientError, isClientError } from './error.ts'

/**
 * What repeating a call would do. `read`: nothing. `keyed`: nothing either, because every attempt carries the same
 * idempotency key, and the server answers the second with the outcome of the first. `once`: something, perhaps.
 */
export type Repeat = 'read' | 'keyed' | 'once'

export type RetryOptions = {
  /** Attempts after the first. */
  readonly retries: number
  readonly baseMs: number
  /** No wait is longer; a server that asks for more is not asked again. */
  readonly maxMs: number
}

export const retryDefaults: RetryOptions = { retries: 3, baseMs: 200, maxMs: 20_000 }

/** Refused before anything was done, by its nature. */
const passingConflicts = ['redaction_stale', 'run_changed', 'write_contention', 'source_event_exists']

/** May the same call succeed in a while? */
export function isPassing(error: ClientError): boolean {
  const { status, code } = error
  if (status === undefined) return code !== 'unexpected_answer'
  return status === 429 || (status >= 500 && status !== 501) || passingConflicts.includes(code)
}

/** How long to wait before the next attempt; null when there should be none. */
export function nextDelay(error: unknown, repeat: Repeat, attempt: number, options: RetryOptions): number | null {
  if (!isClientError(error) || attempt >= options.retries || !isPassing(error)) return null
  // The limit of calls is checked before anything else happens, so even these may be sent again.
  if (repeat === 'once' && error.status !== 429) return null
  const asked = error.retryAfterMs ?? 0
  return asked > options.maxMs ? null : Math.max(asked, backoff(attempt, options))
}

/** Longer each time, and never the same for two clients that failed together. */
export function backoff(attempt: number, { baseMs, maxMs }: RetryOptions): number {
  return Math.min(baseMs * 2 ** attempt, maxMs) * (0.5 + Math.random() / 2)
}

/** Waits, unless the signal aborts: then it throws the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
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
