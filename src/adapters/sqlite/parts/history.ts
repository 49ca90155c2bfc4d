import type { HistoryPartState } from '../../../core/commit/parts/history.ts'
import { prepareOldestSnapshot } from '../history.ts'
import type { PreparePart } from './part.ts'

export const history: PreparePart<Pick<HistoryPartState, 'oldestSnapshot'>> = (db) => {
  const oldestSnapshot = prepareOldestSnapshot(db)
  const removals = ['run_call', 'run_event', 'run'].map((table) =>
    db.prepare(`delete from ${table} where tenant_id = ? and run_id = ?`),
  )
  return {
    state: (tenantId) => ({
      oldestSnapshot: (madeAfter) => (oldestSnapshot.get(tenantId, madeAfter) as number | undefined) ?? null,
    }),

    save(tenantId, { runsPruned }) {
      for (const runId of runsPruned) for (const removal of removals) removal.run(tenantId, runId)
    },
  }
}
