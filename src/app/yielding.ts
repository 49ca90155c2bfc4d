/** How long work may hold the event loop before others have their turn. */
const stretchMs = 10

/** For work in many small steps that wait for nothing: called before each, it lets others have their turn now and then. */
export function createYielding(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < stretchMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
