import { commitJob, type WriteOptions, writeOptionKeys } from '../app/commit.ts'
import type { Tenant } from '../app/tenant.ts'
import { checkCount, checkIdentifier, checkJson, checkKnownKeys, parseInstant } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { cancelJob, type JobStatus, type JobView, type NewJob, retryJob, toJobView } from '../core/jobs/job.ts'
import type { Schedule } from '../core/jobs/schedule.ts'
import { limits } from '../core/limits.ts'
import { checkTenantId } from '../core/names.ts'
import { putSchedule, type ScheduleDraft } from './schedules.ts'

export type JobDraft = {
  readonly kind: string
  /** Any JSON value. */
  readonly payload?: unknown
  /** Higher runs first within its tenant; -100 to 100. */
  readonly priority?: number
  readonly dueAt?: string | Date
  readonly attemptsMax?: number
}

/** The background work of one tenant, as people and services see it. */
export interface TenantJobs {
  enqueue(draft: JobDraft, options?: WriteOptions): Promise<string>
  get(jobId: string): Promise<JobView | null>
  /** Newest first; the last job's id is the cursor of the next page. */
  list(options?: { status?: JobStatus; after?: string; limit?: number }): Promise<readonly JobView[]>
  /** Runs a dead or cancelled job again, with all its attempts. */
  retry(jobId: string): Promise<JobView>
  cancel(jobId: string): Promise<JobView>
  schedule(draft: ScheduleDraft): Promise<void>
  unschedule(scheduleId: string): Promise<boolean>
  schedules(): Promise<readonly Schedule[]>
}

export function jobsOf(tenant: Tenant): TenantJobs {
  checkTenantId(tenant.id)
  const { storage, system } = tenant
  const { workers } = tenant.engine
  return {
    enqueue: async (draft, options = {}) => (await enqueue(tenant, draft, options)).jobId,
    async get(jobId) {
      const job = await storage.jobs.get(tenant.id, String(jobId))
      return job && toJobView(job)
    },
    async list(options = {}) {
      checkKnownKeys('options', options, ['status', 'after', 'limit'])
      const { status = null, after = null, limit = limits.pageEntriesDefault } = options
      checkCount('limit', limit, 1)
      const jobs = await storage.jobs.list({
        tenantId: tenant.id,
        status,
        after,
        limit: Math.min(limit, limits.pageEntriesMax),
      })
      return jobs.map(toJobView)
    },
    async retry(jobId) {
      const job = await storage.jobs.update(tenant.id, jobId, (current) => retryJob(current, system.now()))
      workers.wake()
      return toJobView(job)
    },
    cancel: async (jobId) =>
      toJobView(await storage.jobs.update(tenant.id, jobId, (current) => cancelJob(current, system.now()))),
    async schedule(draft) {
      await tenant.context()
      await putSchedule(tenant, draft)
      workers.wake()
    },
    unschedule: (scheduleId) => storage.jobs.removeSchedule(tenant.id, scheduleId),
    schedules: () => storage.jobs.schedules(tenant.id),
  }
}

/** The id of the job, and whether it is the one that an earlier call with the same key made. */
export async function enqueue(
  tenant: Tenant,
  draft: JobDraft,
  options: WriteOptions,
): Promise<{ readonly jobId: string; readonly repeated: boolean }> {
  checkKnownKeys('options', options, writeOptionKeys)
  const job = parseJob(draft, tenant.system.newId('job'))
  const { jobId: _fresh, ...facts } = job
  const call = { operation: 'enqueue', ...facts }
  return commitJob(tenant, job, { ...options, call })
}

function parseJob(draft: JobDraft, jobId: string): NewJob {
  checkKnownKeys('job', draft ?? null, ['kind', 'payload', 'priority', 'dueAt', 'attemptsMax'])
  const { kind, payload = null, priority = 0, attemptsMax = limits.jobAttemptsDefault, dueAt } = draft
  checkIdentifier('kind', kind, 'jobKindCharactersMax', limits.jobKindCharactersMax)
  if (!Number.isInteger(priority) || Math.abs(priority) > 100)
    throw invalid('priority', 'must be a whole number from -100 to 100')
  checkCount('attemptsMax', attemptsMax, 1)
  if (attemptsMax > limits.jobAttemptsMax) {
    throw invalid('attemptsMax', `must be at most ${limits.jobAttemptsMax}`, {
      limit: 'jobAttemptsMax',
      max: limits.jobAttemptsMax,
    })
  }
  checkJson('payload', payload, 'jobPayloadBytesMax', limits.jobPayloadBytesMax)
  return {
    jobId,
    kind,
    payload,
    priority,
    attemptsMax,
    dueAt: dueAt === undefined ? null : parseInstant('dueAt', dueAt),
  }
}
