import type { Batch } from './commit/batch.ts'
import { limits } from './limits.ts'
import type { Run, RunHead } from './run/run.ts'

/** How an entry ends whose time is over. Nobody could read it any more; ending it takes it out of the lists. */
export const expiredReason = 'expired'

export const dayMs = 24 * 60 * 60 * 1_000

const holdMs = limits.snapshotHoldDaysMax * dayMs

/** Clocks differ between machines: what one machine still calls held, another one must not take away. */
const clockMarginMs = dayMs

/** Whether a run under way still reads its snapshot. One that takes longer than this reads nothing any more. */
export function holdsSnapshot(run: Pick<Run, 'createdAt'>, now: number): boolean {
  return now - run.createdAt <= holdMs
}

type HistoryState = {
  readonly clock: { readonly position: number; readonly historyFrom: number }
  readonly run: (runId: string) => RunHead | undefined
  readonly oldestSnapshot: (madeAfter: number) => number | null
}

/**
 * How far history may be cut, decided under the tenant's lock: never past the snapshot of a run that is under way, so
 * nothing that such a run could read is taken away. Its record, its family's and that of the run it repeats have the
 * same snapshot, so they stay too.
 */
export function sealHistory(
  batch: Pick<Batch, 'historyFrom' | 'runsPruned'>,
  { clock, run, oldestSnapshot }: HistoryState,
  now: number,
): { readonly historyFrom: number; readonly runsPruned: readonly string[] } {
  if (batch.historyFrom === null && batch.runsPruned.length === 0)
    return { historyFrom: clock.historyFrom, runsPruned: [] }
  const held = oldestSnapshot(now - holdMs - clockMarginMs) ?? Number.MAX_SAFE_INTEGER
  const wanted = Math.min(batch.historyFrom ?? 0, held, clock.position)
  const runsPruned = batch.runsPruned.filter((runId) => {
    const head = run(runId)
    return head !== undefined && head.endedAt !== null && head.snapshot.position < held
  })
  return { historyFrom: Math.max(clock.historyFrom, wanted), runsPruned }
}

/** A version that is over, as far as it matters whether it may go. */
export type EndedVersion = {
  readonly memoryRef: string
  readonly entryId: string
  readonly version: number
  readonly endedPosition: number
  readonly endedReason: string
  /** Whether it is the last that the entry was. */
  readonly isNewest: boolean
}

/**
 * Whether a version that ended before readable history begins may be deleted. What was superseded or archived is not history
 * but a state: the memory is shown as such, and may win again or be brought back.
 */
export function isPrunable({ endedReason, isNewest }: EndedVersion): boolean {
  return !isNewest || (endedReason !== 'superseded' && endedReason !== 'archived')
}
