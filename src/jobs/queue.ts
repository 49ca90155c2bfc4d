import { commitChange, type WriteOptions, writeOptionKeys } from '../app/commit.ts'
import type { Deps } from '../app/deps.ts'
import { checkCount, checkIdentifier, checkKnownKeys, parseInstant } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { cancelJob, type Job, type JobStatus, type NewJob, retryJob } from '../core/job.ts'
import { limits } from '../core/limits.ts'
import { checkTenantId } from '../core/names.ts'
import type { Schedule } from '../core/schedule.ts'
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
  get(jobId: string): Promise<Job | null>
  /** Newest first; the last job's id is the cursor of the next page. */
  list(options?: { status?: JobStatus; after?: string; limit?: number }): Promise<readonly Job[]>
  /** Runs a dead or cancelled job again, with all its attempts. */
  retry(jobId: string): Promise<Job>
  cancel(jobId: string): Promise<Job>
  schedule(draft: ScheduleDraft): Promise<void>
  unschedule(scheduleId: string): Promise<boolean>
  schedules(): Promise<readonly Schedule[]>
}

export function jobsOf(deps: Deps, tenantId: string, onEnqueue: () => void): TenantJobs {
  checkTenantId(tenantId)
  const { storage, system } = deps
  return {
    async enqueue(draft, options = {}) {
      checkKnownKeys('options', options, writeOptionKeys)
      const job = parseJob(draft, system.newId('job'))
      const { jobId: _fresh, ...facts } = job
      const committed = await commitChange(
        deps,
        tenantId,
        { kind: 'memory.written', jobs: [job] },
        { ...options, call: { operation: 'enqueue', ...facts } },
      )
      onEnqueue()
      return committed.outcome.jobs[0] ?? job.jobId
    },
    get: (jobId) => storage.jobs.get(tenantId, String(jobId)),
    async list(options = {}) {
      checkKnownKeys('options', options, ['status', 'after', 'limit'])
      const { status = null, after = null, limit = limits.pageEntriesDefault } = options
      checkCount('limit', limit, 1)
      return storage.jobs.list({ tenantId, status, after, limit: Math.min(limit, limits.pageEntriesMax) })
    },
    async retry(jobId) {
      const job = await storage.jobs.update(tenantId, jobId, (current) => retryJob(current, system.now()))
      onEnqueue()
      return job
    },
    cancel: (jobId) => storage.jobs.update(tenantId, jobId, (current) => cancelJob(current, system.now())),
    async schedule(draft) {
      await deps.contextOf(tenantId)
      await putSchedule(deps, tenantId, draft)
      onEnqueue()
    },
    unschedule: (scheduleId) => storage.jobs.removeSchedule(tenantId, scheduleId),
    schedules: () => storage.jobs.schedules(tenantId),
  }
}

export function parseJob(draft: JobDraft, jobId: string): NewJob {
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
  checkPayload(payload)
  return {
    jobId,
    kind,
    payload,
    priority,
    attemptsMax,
    dueAt: dueAt === undefined ? null : parseInstant('dueAt', dueAt),
  }
}

export function checkPayload(payload: unknown): void {
  let text: string | undefined
  try {
    text = JSON.stringify(payload)
  } catch {
    text = undefined
  }
  if (text === undefined) throw invalid('payload', 'must be a JSON value')
  if (text.length > limits.jobPayloadBytesMax) {
    throw invalid('payload', `must be at most ${limits.jobPayloadBytesMax} bytes of JSON`, {
      limit: 'jobPayloadBytesMax',
      max: limits.jobPayloadBytesMax,
    })
  }
  if (text.includes('\\u0000') || !text.isWellFormed())
    throw invalid('payload', 'must not contain the NUL character or a lone surrogate')
}
