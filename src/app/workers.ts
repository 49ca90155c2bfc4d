import type { Job, Lease } from '../core/jobs/job.ts'

/** A place in a worker, kept for a job that is about to be stored: it starts there at once, without being looked for. */
export type Adoption = {
  readonly lease: Lease
  /** Starts the stored job. */
  start(tenantId: string, job: Job, input?: unknown): void
  /** Gives the place back: the job was not stored. */
  drop(): void
}

/** The workers of this process, as far as use cases know them. */
export type Workers = {
  /** Something may be due; of that kind, if it is known. */
  wake(kind?: string): void
  /** Something will be due then. */
  wakeAt(instant: number): void
  /** Null when every place is taken, the tenant has its share, or nobody here does such jobs: then the job waits for its turn. */
  adopt(tenantId: string, kind: string): Adoption | null
  /** Whether this process may try a job that cost several workers: one at a time, until it is told that it is over. */
  mayTry(jobId: string): boolean
  tried(jobId: string): void
}
