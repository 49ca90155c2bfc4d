import type { CompactionPartState } from '../../../core/commit/parts/compactions.ts'
import type { ModelPart } from './part.ts'

export const compactions: ModelPart<CompactionPartState> = {
  state: (tenant) => ({ compaction: (compactionId) => tenant.compactions.get(compactionId)?.compaction }),

  save(tenant, rows) {
    for (const { compaction, sources } of rows.compactions) {
      const known = tenant.compactions.get(compaction.compactionId)?.sources
      tenant.compactions.set(compaction.compactionId, { compaction, sources: known ?? sources })
    }
  },
}
