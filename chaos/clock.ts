import { renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Env } from '../test/support/server.ts'

/** The clocks of the servers, which can be set while they run. Timers and the clocks of databases are not changed. */
export type Clock = {
  /** The arguments that the server with this index must be started with. */
  envOf(place: number): Env
  readonly shiftMs: number
  /** Sets all clocks this far from the machine's. */
  set(shiftMs: number): void
  /** Sets one of them this much further; the next `set` brings them together again. */
  skew(place: number, byMs: number): void
  /** The latest any clock was ever set to. */
  readonly latestMs: number
}

export function createClock(places: number, fileOf: (name: string) => string): Clock {
  const preload = fileURLToPath(new URL('./clock-preload.ts', import.meta.url))
  const files = Array.from({ length: places }, (_, place) => fileOf(`clock-${place}`))
  let [shiftMs, latestMs] = [0, 0]
  const write = (file: string, ms: number) => {
    latestMs = Math.max(latestMs, ms)
    // Atomically: no server reads half a number.
    writeFileSync(`${file}.new`, String(ms))
    renameSync(`${file}.new`, file)
  }
  const set = (ms: number) => {
    shiftMs = ms
    for (const file of files) write(file, ms)
  }
  set(0)
  return {
    envOf: (place) => ({ NODE_OPTIONS: `--import ${preload}`, CHAOS_CLOCK_FILE: files[place % places] ?? '' }),
    get shiftMs() {
      return shiftMs
    },
    get latestMs() {
      return latestMs
    },
    set,
    skew: (place, byMs) => write(files[place % places] ?? '', shiftMs + byMs),
  }
}
