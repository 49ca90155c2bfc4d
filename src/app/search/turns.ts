/** Lets everything else that is due have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A while in which others work; it keeps no process alive. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** Waits for work whose own timers would let the process end: whoever closes a store must not be left with half of it. */
export async function keepProcessAlive(work: Promise<void>): Promise<void> {
  const awake = setInterval(() => {}, 1_000)
  try {
    await work
  } finally {
    clearInterval(awake)
  }
}
