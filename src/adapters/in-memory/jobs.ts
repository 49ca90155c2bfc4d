import { ColophonError } from '../../core/errors.ts'
import { isUnfinished, type Job } from '../../core/jobs/job.ts'
import { type Delivery, deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { JobStore } from '../../ports/job-store.ts'
import type { TenantState } from './tenant-state.ts'

export function modelJobs(tenants: Map<string, TenantState>, use: () => void): JobStore {
  const jobsOf = (tenantId: string): Map<string, Job> => {
    use()
    return tenants.get(tenantId)?.jobs ?? new Map()
  }
  return {
    async claim({ now, kinds, limit, except = [], change }) {
      use()
      const due = (job: Job) => isUnfinished(job) && job.dueAt <= now
      const hasWork = (state: TenantState) =>
        [...state.jobs.values()].some(due) ||
        [...state.schedules.values()].some((schedule) => schedule.nextDueAt <= now)
      const ready = [...tenants]
        .filter(([tenantId, state]) => !except.includes(tenantId) && hasWork(state))
        .sort(byTurn)
      const [first] = ready
      if (!first) return null
      const [tenantId, state] = first
      state.turn = Math.max(now, state.turn + 1)
      const jobs = [...state.jobs.values()]
        .filter((job) => due(job) && kinds.includes(job.kind))
        .sort(byUrgency)
        .slice(0, limit)
        .map(change)
      for (const job of jobs) state.jobs.set(job.jobId, job)
      const schedules = [...state.schedules.values()].filter((schedule) => schedule.nextDueAt <= now)
      return { tenantId, jobs, schedules }
    },
    async update(tenantId, jobId, change) {
      const job = jobsOf(tenantId).get(jobId)
      if (!job) throw new ColophonError('job_not_found', 'There is no such job.')
      const changed = change(job)
      jobsOf(tenantId).set(jobId, changed)
      return changed
    },
    async get(tenantId, jobId) {
      return jobsOf(tenantId).get(jobId) ?? null
    },
    async list({ tenantId, status, after, limit }) {
      return [...jobsOf(tenantId).values()]
        .filter((job) => status === null || job.status === status)
        .filter((job) => after === null || job.jobId < after)
        .sort((a, b) => (a.jobId < b.jobId ? 1 : -1))
        .slice(0, limit)
    },
    async waitingDeliveries(tenantId, webhookIds, countMax) {
      const counts = new Map<string, number>()
      for (const { kind, payload } of [...jobsOf(tenantId).values()].filter(isUnfinished)) {
        const { webhookId } = kind === deliveryJobKind ? (payload as Delivery) : {}
        if (webhookId === undefined || !webhookIds.includes(webhookId)) continue
        counts.set(webhookId, Math.min((counts.get(webhookId) ?? 0) + 1, countMax))
      }
      return counts
    },
    async putSchedule(tenantId, schedule) {
      use()
      const schedules = tenants.get(tenantId)?.schedules
      const known = schedules?.get(schedule.scheduleId)
      const { nextDueAt, lastDueAt } = known?.cron === schedule.cron ? known : { ...schedule, lastDueAt: null }
      schedules?.set(schedule.scheduleId, { ...schedule, nextDueAt, lastDueAt })
    },
    async removeSchedule(tenantId, scheduleId) {
      use()
      return tenants.get(tenantId)?.schedules.delete(scheduleId) ?? false
    },
    async schedules(tenantId) {
      use()
      return [...(tenants.get(tenantId)?.schedules.values() ?? [])].sort((a, b) =>
        a.scheduleId < b.scheduleId ? -1 : 1,
      )
    },
    async moveSchedule(tenantId, scheduleId, from, to) {
      use()
      const stored = tenants.get(tenantId)?.schedules.get(scheduleId)
      if (stored?.nextDueAt !== from) return false
      tenants.get(tenantId)?.schedules.set(scheduleId, { ...stored, nextDueAt: to })
      return true
    },
    async fire(tenantId, due, nextDueAt, job) {
      use()
      const state = tenants.get(tenantId)
      const stored = state?.schedules.get(due.scheduleId)
      if (!state || stored?.nextDueAt !== due.nextDueAt) return false
      state.schedules.set(due.scheduleId, { ...stored, nextDueAt, lastDueAt: due.nextDueAt })
      state.jobs.set(job.jobId, job)
      return true
    },
  }
}

/** The tenant that was served longest ago comes first, however much work another one has. */
function byTurn([idA, a]: [string, TenantState], [idB, b]: [string, TenantState]): number {
  return a.turn - b.turn || (idA < idB ? -1 : 1)
}

function byUrgency(a: Job, b: Job): number {
  return b.priority - a.priority || a.dueAt - b.dueAt || (a.jobId < b.jobId ? -1 : 1)
}
