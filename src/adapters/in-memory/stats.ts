import { parseAuditBody } from '../../core/audit/audit.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import { isUnfinished } from '../../core/jobs/job.ts'
import {
  bytesOfAssertion,
  bytesOfCall,
  bytesOfEvent,
  bytesOfJob,
  bytesOfRecord,
  bytesOfRun,
  bytesOfSchedule,
  bytesOfSource,
  bytesOfVersion,
  type CountedTable,
} from '../../core/quotas/stored-bytes.ts'
import { isEnded } from '../../core/run/run.ts'
import type { ActivitySpan, StatsStore } from '../../ports/stats-store.ts'
import { newTenant, type TenantState } from './tenant-state.ts'

const emptyTenant = newTenant({ macKey: new Uint8Array() }, 0)

const sizesOf: Readonly<Record<CountedTable, (tenant: TenantState) => readonly number[]>> = {
  sourceEvents: ({ sourceEvents }) => [...sourceEvents.values()].map(bytesOfSource),
  records: ({ records }) => [...records.values()].map(bytesOfRecord),
  runs: ({ runs }) => [...runs.values()].map(({ run }) => bytesOfRun(run)),
  runEvents: ({ runs }) => [...runs.values()].flatMap(({ events }) => events.map(bytesOfEvent)),
  runCalls: ({ runs }) => [...runs.values()].flatMap(({ calls }) => calls.map(bytesOfCall)),
  assertions: ({ assertions }) => assertions.map(bytesOfAssertion),
  jobs: ({ jobs }) => [...jobs.values()].map(bytesOfJob),
  schedules: ({ schedules }) => [...schedules.values()].map(bytesOfSchedule),
}

export function modelStats(tenants: Map<string, TenantState>, use: () => void): StatsStore {
  return {
    async read({ tenantId, now, expiringBefore, countMax, afterPosition, spanMs }) {
      use()
      const tenant = tenants.get(tenantId) ?? emptyTenant
      const live = [...tenant.versions.values()]
        .flat()
        .filter((version) => version.endedPosition === null && !isExpired(version, now))
        .slice(0, countMax)
      const spans = new Map<number, ActivitySpan>()
      const hits = new Map<string, number>()
      for (const row of tenant.audit.filter(({ position }) => position > afterPosition)) {
        const at = row.at - (row.at % spanMs)
        const { changes, redacted } = spans.get(at) ?? { changes: 0, redacted: 0 }
        const found = parseAuditBody(row).redactions ?? []
        spans.set(at, { at, changes: changes + 1, redacted: redacted + (found.length > 0 ? 1 : 0) })
        for (const { rule, count } of found) hits.set(rule, (hits.get(rule) ?? 0) + count)
      }
      return {
        entries: live.length,
        refs: new Set(live.map(({ memoryRef }) => memoryRef)).size,
        expiring: live.filter(({ expiresAt }) => expiresAt !== null && expiresAt < expiringBefore).length,
        runs: countBy([...tenant.runs.values()].map(({ run }) => run.status)),
        jobs: countBy([...tenant.jobs.values()].map(({ status }) => status)),
        contestedClaims: [...tenant.claims.values()].filter(({ isContested }) => isContested).length,
        sourceEvents: tenant.sourceEvents.size,
        redactions: hits,
        activity: [...spans.values()].sort((a, b) => a.at - b.at),
      }
    },
    async growth({ tenantId, after, to }) {
      use()
      const versions = [...(tenants.get(tenantId) ?? emptyTenant).versions.values()].flat()
      const isIn = (position: number | null) => position !== null && position > after && position <= to
      const recorded = versions.filter(({ recordedPosition }) => isIn(recordedPosition))
      const ended = versions.filter(({ endedPosition }) => isIn(endedPosition))
      const bytes = recorded.reduce((sum, version) => sum + bytesOfVersion(version), 0)
      return { entries: recorded.length - ended.length, bytes }
    },
    async bytes({ tenantId, table }) {
      use()
      const sizes = sizesOf[table](tenants.get(tenantId) ?? emptyTenant)
      return { bytes: sizes.reduce((sum, size) => sum + size, 0), next: null }
    },
    async pending({ tenantId, countMax }) {
      use()
      const { runs, jobs } = tenants.get(tenantId) ?? emptyTenant
      const active = [...runs.values()].filter(({ run }) => !isEnded(run.status)).length
      const unfinished = [...jobs.values()].filter(isUnfinished).length
      return { runs: Math.min(active, countMax), jobs: Math.min(unfinished, countMax) }
    },
    async readHost({ now, countMax }) {
      use()
      const all = [...tenants.values()]
      const waiting = all.flatMap(({ jobs }) => [...jobs.values()].filter(isUnfinished)).slice(0, countMax)
      const due = waiting.filter(({ status, dueAt }) => status === 'queued' && dueAt <= now)
      const dead = all.flatMap(({ jobs }) => [...jobs.values()].filter(({ status }) => status === 'dead'))
      const active = all.flatMap(({ runs }) => [...runs.values()].filter(({ run }) => !isEnded(run.status)))
      return {
        jobsWaiting: waiting.length,
        jobsDue: due.length,
        oldestDueAt: due.length === 0 ? null : Math.min(...due.map(({ dueAt }) => dueAt)),
        jobsDead: Math.min(dead.length, countMax),
        runs: countBy(active.slice(0, countMax).map(({ run }) => run.status)),
      }
    },
  }
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
