import { measure, type Pair, type Spread, spreadOf } from './pair.ts'
import { rows, type Work, type WorkId } from './works.ts'

/** What is compared: each side does `operations` of the work per slice. */
export type Comparison = Pair & {
  readonly entries?: number
  /** The reference does the same work and less, so it cannot be slower; if it is, it has drifted and proves nothing. */
  readonly referenceDoesLess?: boolean
}

/** One row of the result. Rates are per second, times in microseconds. */
export type Result = {
  readonly id: WorkId
  readonly entries: number | null
  readonly work: Work
  /** In the unit of the work. A ratio is that of slices that ran side by side, not of the medians. */
  readonly measured: Spread | null
  readonly judged?: Spread
  readonly reference?: Spread
  /** Why it was not measured. */
  readonly reason?: string
  readonly verdict: 'met' | 'MISSED' | 'SUSPECT' | 'no target' | 'not measured'
}

export type Recorder = {
  readonly results: readonly Result[]
  /** Whether any of these is measured in this run; preparing the others would only take time. */
  wants(...ids: readonly WorkId[]): boolean
  compare(id: WorkId, comparison: Comparison): Promise<void>
  /** A measurement without a reference, in the unit of its work. */
  note(id: WorkId, values: readonly number[], entries?: number): void
  skip(ids: readonly WorkId[], reason: string): void
}

type RecorderOptions = {
  readonly slices: number
  readonly warmupSlices: number
  readonly only: string
  readonly onResult: (result: Result) => void
}

export function createRecorder({ slices, warmupSlices, only, onResult }: RecorderOptions): Recorder {
  const results: Result[] = []
  const isWanted = ({ section, work }: Work) => `${section} ${work}`.includes(only)
  const rowsOf = (id: WorkId) => rows.filter((row) => row.id === id && isWanted(row.work))
  const add = (result: Result) => {
    results.push(result)
    onResult(result)
  }
  /** A smaller size of a quick run has the target of the first row. */
  const workOf = (id: WorkId, entries: number | null): Work | undefined => {
    const all = rowsOf(id)
    return (all.find((row) => row.entries === entries) ?? all[0])?.work
  }
  return {
    results,
    wants: (...ids) => ids.some((id) => rowsOf(id).length > 0),
    async compare(id, comparison) {
      const entries = comparison.entries ?? null
      const work = workOf(id, entries)
      if (work === undefined) return
      const times = await measure(comparison, slices, warmupSlices)
      const toShown = (microseconds: number) => (work.unit === 'share' ? 1_000_000 / microseconds : microseconds)
      const judged = times.judged.map(toShown)
      const reference = times.reference.map(toShown)
      const measured = spreadOf(judged.map((value, slice) => value / (reference[slice] ?? Number.NaN)))
      const isSuspect = comparison.referenceDoesLess === true && isTooGood(work, measured.median)
      add({
        ...{ id, entries, work, measured, judged: spreadOf(judged), reference: spreadOf(reference) },
        verdict: isSuspect ? 'SUSPECT' : judge(work, measured.median),
      })
    },
    note(id, values, entries) {
      const work = workOf(id, entries ?? null)
      if (work === undefined) return
      const measured = spreadOf(values)
      add({ id, entries: entries ?? null, work, measured, verdict: judge(work, measured.median) })
    },
    skip(ids, reason) {
      for (const { id, entries, work } of ids.flatMap(rowsOf))
        add({ id, entries, work, measured: null, reason, verdict: 'not measured' })
    },
  }
}

/** Beyond what noise explains: two sides of the same speed rarely differ by this much in their medians. */
const lostByMax = 1.25

function isTooGood({ unit }: Work, ratio: number): boolean {
  return (unit === 'share' ? ratio : 1 / ratio) > lostByMax
}

function judge({ unit, target }: Work, median: number): Result['verdict'] {
  if (target === null) return 'no target'
  const isMet = unit === 'share' ? median >= target : median <= target
  return isMet ? 'met' : 'MISSED'
}
