import { type Spread, spreadOf } from '../pair.ts'
import type { Rival } from './rival.ts'
import { mixed, reads, type Slice, type Timing, type Work } from './work.ts'

/** The result of one product at one work. */
export type Line = {
  readonly group: string
  readonly size: number
  readonly work: Work
  readonly atOnce: number
  readonly product: string
  /** Microseconds for one operation; null when there is no figure. */
  readonly time: Spread | null
  /** Its time as a multiple of Colophon's in the adjacent slice: above one, Colophon is faster. */
  readonly times: Spread | null
  readonly slices: number
  /** Share of the searches whose results contain the expected memory. */
  readonly found: number | null
  /** Why there is no figure, or why it is invalid. */
  readonly remark: string | null
}

export type ContestOptions = {
  readonly slices: number
  readonly sliceMs: number
  readonly only: string
  /** A product that needs longer for one operation gets fewer slices, and one caller. */
  readonly slowMs: number
  readonly onLine: (line: Line) => void
}

const slowSlices = 3
const callers = 16

/** Reads come first, at exactly the size; writes undo themselves. */
const program: readonly { work: Work; atOnce: number; gives: readonly Work[] }[] = [
  ...reads.flatMap((work) => [1, callers].map((atOnce) => ({ work, atOnce, gives: [work] }))),
  ...[1, callers].map((atOnce) => ({ work: 'put' as const, atOnce, gives: ['put', 'delete'] as const })),
  { work: mixed, atOnce: 1, gives: [mixed] },
]

const isAskedFor = (group: string, gives: readonly string[], only: string) =>
  `${group} ${gives.join(' ')}`.includes(only)

/** Whether a run of only these works has anything to do in a group. */
export function isWanted(group: string, only: string): boolean {
  return program.some(({ gives }) => isAskedFor(group, gives, only))
}

/** The first round includes warm-up; the second one shows which product is slow. */
const warmupRounds = 2

/** All products in turn, one slice each, and each round begins with another one: other load on the machine affects all. */
export async function contest(group: string, size: number, rivals: readonly Rival[], options: ContestOptions) {
  const slow = new Set<string>()
  for (const { work, atOnce, gives } of program) {
    if (!isAskedFor(group, gives, options.only)) continue
    const rounds = new Map(rivals.map(({ name }) => [name, [] as (Slice | undefined)[]]))
    for (let round = -warmupRounds; round < options.slices; round++) {
      for (let turn = 0; turn < rivals.length; turn++) {
        const rival = rivals[(turn + round + warmupRounds) % rivals.length] as Rival
        const isSlow = slow.has(`${rival.name} ${work}`)
        if (isSlow && (atOnce > 1 || round >= slowSlices)) continue
        const slice = (await rival.slice(work, { atOnce, sliceMs: options.sliceMs })) ?? undefined
        if (round >= 0) rounds.get(rival.name)?.push(slice)
        else if (round === -1 && gives.some((given) => (slice?.[given]?.microseconds ?? 0) > options.slowMs * 1_000))
          slow.add(`${rival.name} ${work}`)
      }
    }
    for (const given of gives) {
      const own = timingsOf(rounds.get(rivals[0]?.name ?? ''), given)
      for (const rival of rivals) {
        const notAsked = slow.has(`${rival.name} ${work}`) && atOnce > 1
        const remark =
          rival.out ?? (notAsked ? `not asked: one alone takes more than ${options.slowMs / 1_000} s` : null)
        const timings = timingsOf(rounds.get(rival.name), given)
        options.onLine({ group, size, work: given, atOnce, product: rival.name, ...judge(timings, own, remark) })
      }
    }
  }
}

const timingsOf = (slices: readonly (Slice | undefined)[] | undefined, work: Work) =>
  (slices ?? []).map((slice) => slice?.[work])

type Timings = readonly (Timing | undefined)[]
type Judged = Pick<Line, 'time' | 'times' | 'slices' | 'found' | 'remark'>

function judge(timings: Timings, own: Timings, remark: string | null): Judged {
  const taken = timings.filter((timing) => timing !== undefined)
  if (taken.length === 0) return { time: null, times: null, slices: 0, found: null, remark }
  const found = taken.map((timing) => timing.found).filter((share) => share !== null)
  // The same index is the same moment.
  const ratios = timings.map((timing, i) => (timing?.microseconds ?? Number.NaN) / (own[i]?.microseconds ?? Number.NaN))
  return {
    time: spreadOf(taken.map(({ microseconds }) => microseconds)),
    times: spreadOf(ratios.filter((ratio) => !Number.isNaN(ratio))),
    slices: taken.length,
    found: found.length === 0 ? null : found.reduce((sum, share) => sum + share, 0) / found.length,
    remark: taken.find(({ wrong }) => wrong !== null)?.wrong ?? remark,
  }
}
