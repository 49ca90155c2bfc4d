import { nextDelay, type RetryOptions, sleep } from './retry.ts'
import type { CallOptions } from './transport.ts'

/** Options of calls that wait for a job or a run. */
export type WaitOptions<State> = CallOptions & {
  /** Called with each state that is read, including the last one. */
  readonly onProgress?: ((state: State) => void) | undefined
}

type Wait<State> = {
  read(): Promise<State>
  hasEnded(state: State): boolean
  /** The longest pause between two reads. */
  readonly pauseMsMax?: number
}

const pauseMsMin = 25
const pauseMsMaxDefault = 1_000
/** Consecutive reads that may fail. With the delays of the retry options, that is the minute that a restart takes. */
const failuresMax = 10

/**
 * Reads a state until it is final, with pauses that double up to a limit. After the first response, the server may
 * restart, unless retries are off.
 */
export async function waitUntil<State>(
  { read, hasEnded, pauseMsMax = pauseMsMaxDefault }: Wait<State>,
  retry: RetryOptions,
  { signal, retries = retry.retries, onProgress }: WaitOptions<State> = {},
): Promise<State> {
  let hasResponded = false
  let failures = 0
  for (let pauseMs = pauseMsMin; ; ) {
    const result = await read().then(
      (state) => ({ state }),
      (error: unknown) => ({ error }),
    )
    if ('error' in result) {
      const mayRepeat = hasResponded && retries > 0
      const delay = mayRepeat ? nextDelay(result.error, 'read', failures++, { ...retry, retries: failuresMax }) : null
      if (delay === null) throw result.error
      await sleep(delay, signal)
      continue
    }
    hasResponded = true
    failures = 0
    onProgress?.(result.state)
    if (hasEnded(result.state)) return result.state
    await sleep(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, pauseMsMax)
  }
}
