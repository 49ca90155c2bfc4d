import { limits } from '../core/limits.ts'

export type TimeSlice = () => Promise<void> | undefined

/**
 * Makes a function for loops of many short synchronous steps. Called before each step, it yields to the event loop once a time slice of
 * `workSliceMs` is used up, so that requests are not delayed.
 */
export function createTimeSlice(): TimeSlice {
  let since = performance.now()
  return () => {
    if (performance.now() - since < limits.workSliceMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
