import { nextDelay, pause, type RetryOptions } from './retry.ts'
import type { CallOptions } from './transport.ts'

export type WaitOptions<State> = CallOptions & {
  /** Called with each state that is read, the last one included. */
  readonly onProgress?: ((state: State) => void) | undefined
}

type Waiting<State> = {
  read(): Promise<State>
  isOver(state: State): boolean
  /** The longest pause between two reads. */
  readonly pauseMsMax?: number
}

const pauseMsMin = 25
const pauseMsMaxDefault = 1_000
/** Reads in a row that may fail. With the pauses of the retry options that is a minute, in which a server restarts. */
const failuresMax = 10

/**
 * Reads a state until it is the last one, with pauses that double up to a limit. A server that has answered may restart
 * meanwhile, unless the client is told to make no second attempt.
 */
export async function waitUntil<State>(
  { read, isOver, pauseMsMax = pauseMsMaxDefault }: Waiting<State>,
  retry: RetryOptions,
  { signal, retries = retry.retries, onProgress }: WaitOptions<State> = {},
): Promise<State> {
  let hasAnswered = false
  let failures = 0
  for (let pauseMs = pauseMsMin; ; ) {
    const answer = await read().then(
      (state) => ({ state }),
      (error: unknown) => ({ error }),
    )
    if ('error' in answer) {
      const mayRepeat = hasAnswered && retries > 0
      const delay = mayRepeat ? nextDelay(answer.error, 'read', failures++, { ...retry, retries: failuresMax }) : null
      if (delay === null) throw answer.error
      await pause(delay, signal)
      continue
    }
    hasAnswered = true
    failures = 0
    onProgress?.(answer.state)
    if (isOver(answer.state)) return answer.state
    await pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, pauseMsMax)
  }
}
