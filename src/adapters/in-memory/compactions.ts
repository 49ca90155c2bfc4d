import type { CompactionStore } from '../../ports/compaction-store.ts'
import type { StoredCompaction, TenantState } from './tenant-state.ts'

export function modelCompactions(tenants: Map<string, TenantState>, use: () => void): CompactionStore {
  const compactionsOf = (tenantId: string): readonly StoredCompaction[] => {
    use()
    return [...(tenants.get(tenantId)?.compactions.values() ?? [])].sort((a, b) =>
      a.compaction.compactionId < b.compaction.compactionId ? -1 : 1,
    )
  }
  return {
    async get(tenantId, compactionId) {
      return (
        compactionsOf(tenantId).find(({ compaction }) => compaction.compactionId === compactionId)?.compaction ?? null
      )
    },
    async list({ tenantId, memoryRef, after, limit }) {
      return compactionsOf(tenantId)
        .map(({ compaction }) => compaction)
        .filter((compaction) => memoryRef === null || compaction.memoryRef === memoryRef)
        .filter(({ compactionId }) => after === null || compactionId < after)
        .reverse()
        .slice(0, limit)
    },
    async sources(tenantId, compactionId) {
      return compactionsOf(tenantId).find(({ compaction }) => compaction.compactionId === compactionId)?.sources ?? []
    },
    async derivedFrom(tenantId, entryIds) {
      return compactionsOf(tenantId)
        .filter(({ sources }) => sources.some(({ entryId }) => entryIds.includes(entryId)))
        .map(({ compaction }) => compaction)
    },
  }
}
