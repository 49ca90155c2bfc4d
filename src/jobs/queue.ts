import { commitJob, type WriteOptions, writeOptionKeys } from '../app/commit.ts'
import type { Tenant } from '../app/tenant.ts'
import { checkCount, checkIdentifier, checkJson, checkKnownKeys, parseInstant } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { cancelJob, type JobStatus, type JobView, type NewJob, retryJob, toJobView } from '../core/jobs/job.ts'
import type { Schedule } from '../core/jobs/schedule.ts'
import { limits } from '../core/limits.ts'
import { checkTenantId } from '../core/names.ts'
import { type JobScheduleDraft, putSchedule } from './cron-schedules.ts'

/** A job to be enqueued. */
export type JobDraft = {
  readonly kind: string
  /** Any JSON value. */
  readonly payload?: unknown
  /** Jobs of a tenant with a higher priority run first; -100 to 100, 0 by default. */
  readonly priority?: number
  /** The earliest time of the first attempt; now by default. */
  readonly dueAt?: string | Date
  /** After so many failed attempts the job is a dead letter. */
  readonly attemptsMax?: number
}

/**
 * The job queue of one tenant.
 *
 * @example
 * const jobs = colophon.jobs('acme')
 * const jobId = await jobs.enqueue({ kind: 'mail', payload: { to: 'ada@example.com' } })
 * const worker = colophon.worker({ handlers: { mail: sendMail } })
 */
export interface TenantJobs {
  /** Stores a job and gives its id. */
  enqueue(draft: JobDraft, options?: WriteOptions): Promise<string>
  get(jobId: string): Promise<JobView | null>
  /** Newest first. The id of the last job is the cursor (`after`) of the next page. */
  list(options?: { status?: JobStatus; after?: string; limit?: number }): Promise<readonly JobView[]>
  /** Queues a dead or cancelled job again, with all its attempts. */
  retry(jobId: string): Promise<JobView>
  cancel(jobId: string): Promise<JobView>
  /** Creates or replaces a schedule: at each of its times a job is enqueued. */
  schedule(draft: JobScheduleDraft): Promise<void>
  unschedule(scheduleId: string): Promise<boolean>
  schedules(): Promise<readonly Schedule[]>
}

/** The job queue of one tenant, as the library offers it. */
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

/** Stores a job. `repeated` says that an earlier call with the same idempotency key stored it. */
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
