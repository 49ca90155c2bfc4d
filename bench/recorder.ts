import { measure, type Pair, type Spread, spreadOf } from './pair.ts'

/** What is compared, and how it is judged. */
export type Comparison = Pair & {
  readonly section: string
  readonly work: string
  readonly entries: number
  /** A rate is good when it is high: the ratio must reach the target. A time must stay below it. */
  readonly shown: 'rate' | 'time'
  readonly target: number | null
  /** The reference does the same work and less, so it cannot be slower; if it is, it has drifted and proves nothing. */
  readonly referenceDoesLess?: boolean
}

/** One line of the result. Rates are per second, times in microseconds. */
export type Result = Pick<Comparison, 'section' | 'work' | 'entries' | 'shown' | 'target'> & {
  readonly judged: Spread
  readonly reference: Spread
  /** Of the slices that ran side by side, not of the medians. */
  readonly ratio: Spread
  readonly verdict: 'ok' | 'MISSED' | 'SUSPECT' | 'no target'
}

export type Recorder = {
  readonly results: readonly Result[]
  compare(comparison: Comparison): Promise<void>
}

type RecorderOptions = {
  readonly slices: number
  readonly warmupSlices: number
  readonly only: string
  readonly onResult: (result: Result) => void
}

export function createRecorder({ slices, warmupSlices, only, onResult }: RecorderOptions): Recorder {
  const results: Result[] = []
  return {
    results,
    async compare(comparison) {
      const { section, work, entries, shown, target } = comparison
      if (!`${section} ${work}`.includes(only)) return
      const times = await measure(comparison, slices, warmupSlices)
      const toShown = (microseconds: number) => (shown === 'rate' ? 1_000_000 / microseconds : microseconds)
      const judged = times.judged.map(toShown)
      const reference = times.reference.map(toShown)
      const ratio = spreadOf(judged.map((value, slice) => value / (reference[slice] ?? Number.NaN)))
      const result: Result = {
        ...{ section, work, entries, shown, target, ratio },
        judged: spreadOf(judged),
        reference: spreadOf(reference),
        verdict: judge(comparison, ratio.median),
      }
      results.push(result)
      onResult(result)
    },
  }
}

/** Beyond what noise explains: two sides of the same speed rarely differ by this much in their medians. */
const lostByMax = 1.25

function judge({ shown, target, referenceDoesLess }: Comparison, ratio: number): Result['verdict'] {
  const advantage = shown === 'rate' ? ratio : 1 / ratio
  if (referenceDoesLess && advantage > lostByMax) return 'SUSPECT'
  if (target === null) return 'no target'
  const isMet = shown === 'rate' ? ratio >= target : ratio <= target
  return isMet ? 'ok' : 'MISSED'
}
