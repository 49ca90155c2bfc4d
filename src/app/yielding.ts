import { limits } from '../core/limits.ts'

export type Yielding = () => Promise<void> | undefined

/** For work in many small steps that wait for nothing: called before each, it lets others have their turn now and then. */
export function createYielding(): Yielding {
  let since = performance.now()
  return () => {
    if (performance.now() - since < limits.workStretchMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
