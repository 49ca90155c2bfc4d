import { renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The clock of all servers, which can be set while they run. Timers and the clocks of databases go on as ever. */
export type Clock = {
  /** What servers and commands must be started with. */
  readonly env: Readonly<Record<string, string>>
  readonly shiftMs: number
  /** Sets the clock this far from the machine's. */
  set(shiftMs: number): void
  /** The latest the clock was ever set to. */
  readonly latestMs: number
}

export function createClock(file: string): Clock {
  const preload = fileURLToPath(new URL('./clock-preload.ts', import.meta.url))
  let [shiftMs, latestMs] = [0, 0]
  const set = (ms: number) => {
    shiftMs = ms
    latestMs = Math.max(latestMs, ms)
    // In one step: nobody reads half a number.
    writeFileSync(`${file}.new`, String(ms))
    renameSync(`${file}.new`, file)
  }
  set(0)
  return {
    env: { NODE_OPTIONS: `--import ${preload}`, CHAOS_CLOCK_FILE: file },
    get shiftMs() {
      return shiftMs
    },
    get latestMs() {
      return latestMs
    },
    set,
  }
}
