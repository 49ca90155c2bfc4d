/** Work in steps: its caller can let other work run between two of them. */
export type Steps<T> = Generator<void, T>

/** Takes all steps at once. */
export function takeSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
