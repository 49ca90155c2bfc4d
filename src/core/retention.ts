import type { Batch } from './commit/batch.ts'
import { limits } from './limits.ts'
import type { Run, RunHead } from './run/run.ts'

/** The reason with which the sweeper ends an expired entry. Reads hide it from the moment of expiry; ending it removes it from the indexes. */
export const expiredReason = 'expired'

export const dayMs = 24 * 60 * 60 * 1_000

const holdMs = limits.snapshotHoldDaysMax * dayMs

/** Clocks differ between machines: history that one machine still protects must not be deleted by another. */
const clockMarginMs = dayMs

/** Whether an active run still protects its snapshot from pruning. After `snapshotHoldDaysMax` its reads fail. */
export function holdsSnapshot(run: Pick<Run, 'createdAt'>, now: number): boolean {
  return now - run.createdAt <= holdMs
}

type HistoryState = {
  readonly clock: { readonly position: number; readonly historyFrom: number }
  readonly run: (runId: string) => RunHead | undefined
  readonly oldestSnapshot: (madeAfter: number) => number | null
}

/**
 * Decides under the tenant's lock how far history is pruned: never past the snapshot of an active run, so that it can still
 * read everything it could. The records of the run, of its children and of the run it replays have the same snapshot, so they stay
 * too.
 */
export function sealHistory(
  batch: Pick<Batch, 'historyFrom' | 'runsPruned'>,
  { clock, run, oldestSnapshot }: HistoryState,
  now: number,
): { readonly historyFrom: number; readonly runsPruned: readonly string[] } {
  if (batch.historyFrom === null && batch.runsPruned.length === 0)
    return { historyFrom: clock.historyFrom, runsPruned: [] }
  const protectedFrom = oldestSnapshot(holdsSince(now)) ?? Number.MAX_SAFE_INTEGER
  const runsPruned = batch.runsPruned.filter((runId) => {
    const head = run(runId)
    return head !== undefined && head.endedAt !== null && head.snapshot.position < protectedFrom
  })
  return { historyFrom: historyCut(batch.historyFrom ?? 0, clock, protectedFrom), runsPruned }
}

/** Active runs that were created after this instant protect their snapshots. */
export function holdsSince(now: number): number {
  return now - holdMs - clockMarginMs
}

/** Where history begins after a request to cut it: never earlier than now, and never past the oldest protected snapshot. */
export function historyCut(requested: number, clock: HistoryState['clock'], protectedFrom: number): number {
  return Math.max(clock.historyFrom, Math.min(requested, protectedFrom, clock.position))
}

/** What the decision to prune a version needs to know about it. */
export type EndedVersion = {
  readonly memoryRef: string
  readonly entryId: string
  readonly version: number
  readonly endedPosition: number
  readonly endedReason: string
  /** Whether it is the newest version of its entry. */
  readonly isNewest: boolean
}

/**
 * Whether a version that ended before readable history begins may be deleted. The newest version of a superseded or archived entry
 * stays: the memory is still listed with that state, and may win again or be restored.
 */
export function isPrunable({ endedReason, isNewest }: EndedVersion): boolean {
  return !isNewest || (endedReason !== 'superseded' && endedReason !== 'archived')
}
