import { isThorough } from '../support/thorough.ts'

/** `npm test` makes a fifth of the runs. COLOPHON_PROPERTY_RUNS multiplies them, for a search of hours. */
const times = Number(process.env.COLOPHON_PROPERTY_RUNS ?? (isThorough ? 1 : 0.2))

export function runsOf(count: number): number {
  return Math.ceil(count * times)
}
