const windowMs = 60_000
const keysMax = 100_000

/** A rate limit per key and minute. Returns the milliseconds to wait, or 0 when the call is allowed. */
export function createRateLimit(callsMax: number, now: () => number): (key: string) => number {
  const windows = new Map<string, { start: number; calls: number }>()
  return (key) => {
    if (callsMax === 0) return 0
    const at = now()
    const window = windows.get(key)
    if (window === undefined || at - window.start >= windowMs) {
      if (windows.size >= keysMax) windows.clear()
      windows.set(key, { start: at, calls: 1 })
      return 0
    }
    window.calls += 1
    return window.calls <= callsMax ? 0 : window.start + windowMs - at
  }
}
