import type { Job, JobStatus } from '../core/jobs/job.ts'
import type { Schedule } from '../core/jobs/schedule.ts'
import type { Redacted } from '../core/redaction/redaction.ts'

/** The tenant that is next in the fair queue, its jobs that were just leased (or became dead letters, because too many workers were lost with them), and its schedules that are due. */
export type LeasedWork = {
  readonly tenantId: string
  readonly jobs: readonly Job[]
  readonly schedules: readonly Schedule[]
}

/**
 * Jobs and schedules. `Storage.commit` enqueues and completes jobs; here they are leased, renewed, retried and listed.
 * Every `change` is a pure function of the core, called with the row locked; the row is stored as it returns it.
 */
export interface JobStore {
  /** Picks the tenant with due work that was served longest ago, and leases up to `limit` of its due jobs. Two workers never lease the same job. Null when no work is due. */
  claim(request: LeaseRequest): Promise<LeasedWork | null>
  /** Changes one job. Rejects with `job_not_found` if there is none; if `change` throws, nothing is stored. */
  update(tenantId: string, jobId: string, change: (job: Job) => Job): Promise<Job>
  /** Null when there is none. */
  get(tenantId: string, jobId: string): Promise<Job | null>
  /** Newest first, by id. */
  list(query: {
    tenantId: string
    status: JobStatus | null
    after: string | null
    limit: number
  }): Promise<readonly Job[]>
  /** How many deliveries to each of the webhooks are queued or leased, counted up to `countMax`. Webhooks without any are left out. */
  waitingDeliveries(
    tenantId: string,
    webhookIds: readonly string[],
    countMax: number,
  ): Promise<ReadonlyMap<string, number>>

  /** A schedule whose cron is unchanged keeps its next due time, so a restart neither skips nor repeats a run. */
  putSchedule(tenantId: string, schedule: Redacted<Schedule>): Promise<void>
  /** False when there is no such schedule. */
  removeSchedule(tenantId: string, scheduleId: string): Promise<boolean>
  /** All schedules of a tenant, in order of id. */
  schedules(tenantId: string): Promise<readonly Schedule[]>
  /** Moves a schedule from one due time to another. False if another process moved it first. */
  moveSchedule(tenantId: string, scheduleId: string, from: number, to: number): Promise<boolean>
  /** Enqueues the job and moves the schedule to its next due time, in one transaction. False if another process did so first. */
  fire(tenantId: string, due: Schedule, nextDueAt: number, job: Job): Promise<boolean>
}

export type LeaseRequest = {
  readonly now: number
  readonly kinds: readonly string[]
  readonly limit: number
  /** Tenants to pass over, because their share of the workers is used up. */
  readonly except?: readonly string[]
  readonly change: (job: Job) => Job
}
