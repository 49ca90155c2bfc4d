import { limits } from '../core/limits.ts'
import type { Steps } from '../core/steps.ts'

/** Yields to the event loop: timers, requests and other promises run first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A pause that does not keep the process alive. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** Waits for work whose timers do not keep the process alive. Used at close, so that the work is not cut off half done. */
export async function keepProcessAlive(work: Promise<void>): Promise<void> {
  const awake = setInterval(() => {}, 1_000)
  try {
    await work
  } finally {
    clearInterval(awake)
  }
}

export type TimeSlice = () => Promise<void> | undefined

/**
 * Makes a function for loops of many short synchronous steps. Called before each step, it yields to the event loop once a time slice is
 * used up, so that requests are not delayed.
 */
export function createTimeSlice(sliceMs: number = limits.loopSliceMs): TimeSlice {
  let since = performance.now()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}

/** Runs the steps of a request's work in time slices. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  const slice = createTimeSlice(limits.workSliceMs)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    const turn = slice()
    if (turn !== undefined) await turn
  }
}

/** Items of a long list that are worked on at the same time. */
export const abreast = 16

/** What `work` makes of each item, in order. A few items at a time, and the event loop has its turn between them. */
export async function mapInGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const slice = createTimeSlice()
  const made: R[] = []
  for (let at = 0; at < items.length; at += abreast) {
    if (at > 0) await slice()
    made.push(...(await Promise.all(items.slice(at, at + abreast).map(work))))
  }
  return made
}

/**
 * The same for long work beside writers: after each slice it pauses twice as long as the process worked. Time in which the event loop was
 * idle, as while PostgreSQL answers, is no work: nothing had to wait.
 */
export function createPausingSlice(): TimeSlice {
  let since = activeMs()
  return () => {
    const workedMs = activeMs() - since
    if (workedMs < limits.loopSliceMs) return undefined
    return pause(2 * workedMs).then(() => {
      since = activeMs()
    })
  }
}

/** How long the event loop of this process has worked, without the time in which it was idle. */
export function activeMs(): number {
  return performance.eventLoopUtilization().active
}
