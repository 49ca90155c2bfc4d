/** How long a tool call waits for a job or a run, which continues after that. */
const waitMsMax = 20_000

/** What the wait gives; null if that takes longer than a tool call may. */
export async function waitWithin<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  const signal = AbortSignal.timeout(waitMsMax)
  return wait(signal).catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
}
