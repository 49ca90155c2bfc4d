import { setTimeout as delay } from 'node:timers/promises'
import { ColophonError } from '../core/errors.ts'

const waitMs = 10_000

/** What the workers of the host bring about soon, for seams that answer when it is there. */
export async function waitFor<T>(read: () => Promise<T | null>, problem: string): Promise<T> {
  const deadline = performance.now() + waitMs
  while (performance.now() < deadline) {
    const found = await read()
    if (found !== null) return found
    await delay(10)
  }
  throw new ColophonError('overloaded', problem)
}
