import { isExpired } from '../../core/entries/as-of.ts'
import { isUnfinished } from '../../core/jobs/job.ts'
import type { EndedVersion } from '../../core/retention.ts'
import type { HistoryStore } from '../../ports/history-store.ts'
import type { TenantState } from './tenant-state.ts'

export function modelHistory(tenants: Map<string, TenantState>, use: () => void): HistoryStore {
  const versionsOf = (tenantId: string) => {
    use()
    return [...(tenants.get(tenantId)?.versions.values() ?? [])].flat()
  }
  return {
    async expired({ tenantId, now, limit }) {
      return versionsOf(tenantId)
        .filter((row) => row.endedPosition === null && isExpired(row, now))
        .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
        .slice(0, limit)
        .map(({ memoryRef, entryId }) => ({ memoryRef, entryId }))
    },
    async ended({ tenantId, upTo, after, limit }) {
      const rows = versionsOf(tenantId)
      const newest = new Map<string, number>()
      for (const { entryId, version } of rows) newest.set(entryId, Math.max(version, newest.get(entryId) ?? 0))
      return rows
        .flatMap(({ memoryRef, entryId, version, endedPosition, endedReason }): EndedVersion[] => {
          if (endedPosition === null || endedReason === null || endedPosition > upTo) return []
          const isNewest = newest.get(entryId) === version
          return [{ memoryRef, entryId, version, endedPosition, endedReason, isNewest }]
        })
        .sort(byEnd)
        .filter((row) => after === null || byEnd(row, after) > 0)
        .slice(0, limit)
    },
    async oldestSnapshot(tenantId, madeAfter) {
      use()
      const tenant = tenants.get(tenantId)
      return tenant === undefined ? null : oldestSnapshot(tenant, madeAfter)
    },
    async runs({ tenantId, after, limit }) {
      use()
      return [...(tenants.get(tenantId)?.runs.values() ?? [])]
        .map(({ run: { runId, createdAt, endedAt, nextSequence, snapshot } }) => {
          return { runId, createdAt, endedAt, nextSequence, snapshotPosition: snapshot.position }
        })
        .filter(({ runId }) => after === null || runId > after)
        .sort((a, b) => (a.runId < b.runId ? -1 : 1))
        .slice(0, limit)
    },
    async jobs({ tenantId, after, limit }) {
      use()
      return [...(tenants.get(tenantId)?.jobs.values() ?? [])]
        .map(({ jobId, kind, status, createdAt, endedAt }) => ({ jobId, kind, status, createdAt, endedAt }))
        .filter(({ jobId }) => after === null || jobId > after)
        .sort((a, b) => (a.jobId < b.jobId ? -1 : 1))
        .slice(0, limit)
    },
    async removeJobs(tenantId, jobIds) {
      use()
      const jobs = tenants.get(tenantId)?.jobs
      return jobIds.filter((jobId) => {
        const job = jobs?.get(jobId)
        return job !== undefined && !isUnfinished(job) && jobs?.delete(jobId)
      }).length
    },
    async removeOutcomes({ tenantId, before, limit }) {
      use()
      const outcomes = tenants.get(tenantId)?.outcomes ?? new Map()
      const old = [...outcomes]
        .filter(([, { createdAt }]) => createdAt <= before)
        .sort(([, a], [, b]) => a.createdAt - b.createdAt)
        .slice(0, limit)
      for (const [key] of old) outcomes.delete(key)
      return old.length
    },
  }
}

type Place = { readonly endedPosition: number; readonly entryId: string; readonly version: number }

function byEnd(a: Place, b: Place): number {
  if (a.endedPosition !== b.endedPosition) return a.endedPosition - b.endedPosition
  if (a.entryId !== b.entryId) return a.entryId < b.entryId ? -1 : 1
  return a.version - b.version
}

export function oldestSnapshot(tenant: TenantState, madeAfter: number): number | null {
  const held = [...tenant.runs.values()].filter(({ run }) => run.endedAt === null && run.createdAt > madeAfter)
  return held.length === 0 ? null : Math.min(...held.map(({ run }) => run.snapshot.position))
}
