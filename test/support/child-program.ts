import { once } from 'node:events'

/** The other end of `child.ts`: what a helper program imports. */

const stopping = new AbortController()
const stopMsMax = 30_000

process.stdin.on('end', () => {
  stopping.abort()
  // A program that still hangs now would never end: the test sees the exit code.
  setTimeout(() => process.exit(70), stopMsMax).unref()
})
process.stdin.resume()
const input = process.stdin as typeof process.stdin & { ref(): void; unref(): void }
// A listener alone must not keep the process alive.
input.unref()

/** Aborts when the test asks the program to finish, or has ended. */
export const stopped: AbortSignal = stopping.signal

export async function untilStopped(): Promise<void> {
  input.ref()
  if (!stopped.aborted) await once(stopped, 'abort')
}

export function programOptions<Options>(): Options {
  return JSON.parse(process.argv[2] ?? '{}') as Options
}

export function report(message: unknown): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** The code of an expected failure; anything else is spelled out, so that no test takes it for one. */
export function failureCode(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  return name === 'ColophonError' && code ? code : `not a ColophonError: ${name} ${code} ${message}`
}
