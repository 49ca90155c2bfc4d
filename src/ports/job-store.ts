import type { Job, JobStatus } from '../core/jobs/job.ts'
import type { Schedule } from '../core/jobs/schedule.ts'
import type { Redacted } from '../core/redaction/redaction.ts'

/** A tenant whose turn it is, the jobs just leased there (or given up, when too many workers were lost with one), and its schedules that are due. */
export type Claim = {
  readonly tenantId: string
  readonly jobs: readonly Job[]
  readonly schedules: readonly Schedule[]
}

/**
 * Jobs and schedules. They are enqueued and completed by `Storage.commit`; here they are picked up and looked after.
 * Every `change` is a pure function from the core, called with the row locked.
 */
export interface JobStore {
  /** Picks the tenant with due work that waited longest for its turn, and leases up to `limit` of its due jobs. */
  claim(request: ClaimRequest): Promise<Claim | null>
  update(tenantId: string, jobId: string, change: (job: Job) => Job): Promise<Job>
  get(tenantId: string, jobId: string): Promise<Job | null>
  list(query: {
    tenantId: string
    status: JobStatus | null
    after: string | null
    limit: number
  }): Promise<readonly Job[]>
  /** How many deliveries to each of the webhooks are queued or leased, counted up to `countMax`; without those that have none. */
  waitingDeliveries(
    tenantId: string,
    webhookIds: readonly string[],
    countMax: number,
  ): Promise<ReadonlyMap<string, number>>

  /** A schedule whose cron is unchanged keeps its next due time, so a restart neither skips nor repeats a run. */
  putSchedule(tenantId: string, schedule: Redacted<Schedule>): Promise<void>
  removeSchedule(tenantId: string, scheduleId: string): Promise<boolean>
  schedules(tenantId: string): Promise<readonly Schedule[]>
  /** Moves a schedule to another due time, unless somebody moved it first: then false. */
  moveSchedule(tenantId: string, scheduleId: string, from: number, to: number): Promise<boolean>
  /** Enqueues the job and moves the schedule on, unless another process has done so: then false. */
  fire(tenantId: string, due: Schedule, nextDueAt: number, job: Job): Promise<boolean>
}

export type ClaimRequest = {
  readonly now: number
  readonly kinds: readonly string[]
  readonly limit: number
  /** Tenants that have had enough for now. */
  readonly except?: readonly string[]
  readonly change: (job: Job) => Job
}
