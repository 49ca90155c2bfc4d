import { invariant } from '../../invariant.ts'
import { sealHistory } from '../../retention.ts'
import type { RunHead } from '../../run/run.ts'
import type { BatchPart } from './part.ts'

export type HistoryMembers = {
  /** The new oldest readable position; null keeps the current one. It never passes the snapshot of an active run. */
  readonly historyFrom: number | null
  /** Runs that have ended, to be deleted with their events and calls. Those that a run under way may need are passed over. */
  readonly runsPruned: readonly string[]
}

export type HistoryRows = {
  /** Where readable history begins now, if the batch moved it. */
  readonly historyCut: number | null
  readonly runsPruned: readonly string[]
}

export type HistoryPartState = {
  readonly run: (runId: string) => RunHead | undefined
  /** The oldest snapshot that a run under way reads, of runs made after the instant; null when there is none. */
  readonly oldestSnapshot: (madeAfter: number) => number | null
}

/** The cutting of history: positions that can no longer be read, and the records of old runs. */
export const history: BatchPart<HistoryMembers, HistoryRows, HistoryPartState> = {
  members: ['historyFrom', 'runsPruned'],
  none: { historyFrom: null, runsPruned: [] },
  noRows: { historyCut: null, runsPruned: [] },

  seal(batch, { run, oldestSnapshot }, { clock, now }) {
    const { historyFrom, runsPruned } = sealHistory(batch, { clock, run, oldestSnapshot }, now)
    invariant(historyFrom <= Math.max(clock.historyFrom, clock.position), 'history is cut at a position that exists')
    return { historyCut: historyFrom > clock.historyFrom ? historyFrom : null, runsPruned }
  },

  takesPosition: ({ historyCut, runsPruned }) => historyCut !== null || runsPruned.length > 0,

  audit: ({ historyCut, runsPruned }) => ({
    ...(historyCut === null ? {} : { historyFrom: historyCut }),
    ...(runsPruned.length === 0 ? {} : { runsPruned }),
  }),

  advance: ({ historyCut }) => (historyCut === null ? {} : { historyFrom: historyCut }),
}
