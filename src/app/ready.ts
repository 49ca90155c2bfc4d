import type { Engine } from './engine.ts'

/** Whether the database answers a query: the readiness probe. */
export async function isReady({ storage }: Engine): Promise<boolean> {
  try {
    await storage.clocks(['default'])
    return true
  } catch {
    return false
  }
}
