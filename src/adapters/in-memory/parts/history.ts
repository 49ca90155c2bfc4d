import type { HistoryPartState } from '../../../core/commit/parts/history.ts'
import { oldestSnapshot } from '../history.ts'
import type { ModelPart } from './part.ts'

export const history: ModelPart<Pick<HistoryPartState, 'oldestSnapshot'>> = {
  state: (tenant) => ({ oldestSnapshot: (madeAfter) => oldestSnapshot(tenant, madeAfter) }),

  save(tenant, { runsPruned }) {
    for (const runId of runsPruned) tenant.runs.delete(runId)
  },
}
