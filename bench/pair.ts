import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** One side of a comparison. `prepare` makes what a slice needs and is not timed; `run` is one slice. */
export type Side = {
  prepare?(): void | Promise<void>
  run(): void | Promise<void>
}

/** The judged side, and what it is judged by. Both do `operations` per slice. */
export type Pair = { readonly operations: number; readonly judged: Side; readonly reference: Side }

/** Microseconds per operation, one number per slice; the same index is the same moment. */
export type Slices = { readonly judged: readonly number[]; readonly reference: readonly number[] }

/**
 * Times both sides alternately (A B, B A, A B …): other load on the machine affects both, and neither always runs after
 * the other. On a shared machine only ratios of adjacent slices are meaningful.
 */
export async function measure(pair: Pair, slices: number, warmupSlices: number): Promise<Slices> {
  const times = { judged: [] as number[], reference: [] as number[] }
  for (let slice = -warmupSlices; slice < slices; slice++) {
    const order = slice % 2 === 0 ? (['judged', 'reference'] as const) : (['reference', 'judged'] as const)
    for (const name of order) {
      const microseconds = await timeSlice(pair[name], pair.operations)
      if (slice >= 0) times[name].push(microseconds)
    }
  }
  return times
}

async function timeSlice(side: Side, operations: number): Promise<number> {
  await side.prepare?.()
  // One side must not pay for the other's garbage. Young garbage only: a forced full collection also throws away
  // optimised code (260 deoptimisations in one run, against 4), which no running service does to itself.
  collectGarbage({ type: 'minor' })
  const started = process.hrtime.bigint()
  await side.run()
  return Number(process.hrtime.bigint() - started) / 1_000 / operations
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void

export type Spread = { readonly median: number; readonly min: number; readonly max: number }

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}
