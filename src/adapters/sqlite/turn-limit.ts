import { limits } from '../../core/limits.ts'

/**
 * Limits how long reads occupy one turn of the event loop. A read of SQLite is done when it returns, so a loop of `await`ed reads
 * would never let a request or a timer run. Returns a promise if the time slice of this turn is used up: the caller waits for it and
 * asks again.
 */
export function createTurnLimit(): () => Promise<void> | undefined {
  let began = 0
  let turn: Promise<void> | null = null
  return () => {
    const now = performance.now()
    if (turn !== null) return now - began < limits.workSliceMs ? undefined : turn
    began = now
    turn = new Promise((resolve) =>
      setImmediate(() => {
        turn = null
        resolve()
      }),
    )
    return undefined
  }
}
