import type { HistoryPartState } from '../../../core/commit/parts/history.ts'
import { statement } from '../connection.ts'
import { removeRuns } from '../runs.ts'
import type { PostgresPart } from './part.ts'

export type HistoryLoaded = {
  /** The snapshots that runs under way read, when the group cuts history; otherwise not loaded. */
  readonly snapshots: { readonly position: number; readonly createdAt: number }[]
}

type SnapshotRow = { snapshot_position: number; created_at: number }

export const history: PostgresPart<HistoryLoaded, Pick<HistoryPartState, 'oldestSnapshot'>> = {
  none: () => ({ snapshots: [] }),

  async load(send, tenantId, batches) {
    const cutsHistory = batches.some((batch) => batch.historyFrom !== null || batch.runsPruned.length > 0)
    if (!cutsHistory) return this.none()
    const { rows } = await send<SnapshotRow>(selectSnapshots, [tenantId])
    return { snapshots: rows.map((row) => ({ position: row.snapshot_position, createdAt: row.created_at })) }
  },

  state: ({ snapshots }) => ({
    /** A run that ended earlier in the group still counts: its snapshot can be cut the next time. */
    oldestSnapshot(madeAfter) {
      const held = snapshots.filter(({ createdAt }) => createdAt > madeAfter)
      if (held.length === 0) return null
      return held.reduce((oldest, { position }) => Math.min(oldest, position), Number.MAX_SAFE_INTEGER)
    },
  }),

  after({ snapshots, runs }, sealed) {
    for (const runId of sealed.runsPruned) runs.delete(runId)
    for (const { run, isNew } of sealed.runs)
      if (isNew) snapshots.push({ position: run.snapshot.position, createdAt: run.createdAt })
  },

  save: (send, tenantId, sealed) =>
    removeRuns(
      send,
      tenantId,
      sealed.flatMap(({ runsPruned }) => runsPruned),
    ),
}

// Not locked by themselves: nothing but a commit writes runs, and the clock's lock orders those.
const selectSnapshots = statement(
  'select_snapshots',
  'select snapshot_position, created_at from run where tenant_id = $1 and ended_at is null',
)
