/** Lets everything else that is due have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A while in which others work; it keeps no process alive. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
