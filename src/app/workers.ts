import type { Job, Lease } from '../core/jobs/job.ts'

/** A slot in a worker, reserved for a job that is about to be stored. The job starts as soon as it is committed, without a poll. */
export type ReservedSlot = {
  readonly lease: Lease
  /** Starts the stored job. */
  start(tenantId: string, job: Job, input?: unknown): void
  /** Frees the slot: the job was not stored. */
  release(): void
}

/** The workers of this process, as use cases see them. */
export type Workers = {
  /** Makes idle workers look for due jobs: of one kind, or of any. */
  wake(kind?: string): void
  /** The same at a later instant, when a job becomes due. */
  wakeAt(instant: number): void
  /**
   * Reserves a slot. Null when all slots are in use, the tenant has its share, or no worker of this process handles the kind. Then the
   * job waits in the queue.
   */
  reserveSlot(tenantId: string, kind: string): ReservedSlot | null
  /**
   * Whether this process may attempt a suspected poison-pill job, one that several workers crashed on. Such jobs run one at a time: the
   * next may begin once `tried` was called.
   */
  mayAttemptSuspect(jobId: string): boolean
  /** Ends the attempt of a suspected poison-pill job. */
  endSuspectAttempt(jobId: string): void
}
