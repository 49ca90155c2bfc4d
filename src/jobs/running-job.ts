import type { JobLease } from '../core/jobs/job.ts'

/** A job while it runs. */
export type RunningJob = {
  readonly tenantId: string
  readonly jobId: string
  readonly kind: string
  readonly payload: unknown
  /** What whoever stored the job handed over with it; only when it began at once. */
  readonly input?: unknown
  readonly attempt: number
  /** Aborts when the lease is lost, the job is cancelled or the worker stops: whatever is done after that is for nothing. */
  readonly signal: AbortSignal
  /** Hand it to the write that is the job's effect (`completes`): both are stored together, or neither. */
  readonly lease: JobLease
  /** Tells how far the job is; shown to whoever looks. */
  progress(note: unknown): void
}

/** What it returns becomes the job's result, unless a write has completed the job already. A throw is a failed attempt. */
export type JobHandler = (job: RunningJob) => Promise<unknown>
