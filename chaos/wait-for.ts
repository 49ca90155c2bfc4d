import { setTimeout as pause } from 'node:timers/promises'

const waitMsMax = 10_000

/** Waits for a condition, with a limit: a fault that had no visible effect ends too. */
export async function waitFor(isSo: () => boolean, msMax = waitMsMax): Promise<boolean> {
  for (const until = Date.now() + msMax; Date.now() < until; await pause(10)) if (isSo()) return true
  return isSo()
}
