import type { EntryKey } from '../core/entries/entry.ts'
import type { JobStatus } from '../core/jobs/job.ts'
import type { EndedVersion } from '../core/retention.ts'

/** Where a list of ended versions resumes. */
export type EndedPlace = Pick<EndedVersion, 'endedPosition' | 'entryId' | 'version'>

export type RunAge = {
  readonly runId: string
  readonly createdAt: number
  readonly endedAt: number | null
  /** How many events it has. */
  readonly nextSequence: number
  readonly snapshotPosition: number
}

export type JobAge = {
  readonly jobId: string
  readonly kind: string
  readonly status: JobStatus
  readonly createdAt: number
  readonly endedAt: number | null
}

/** Finds old rows page by page, so that retention deletes them in small steps. Versions and runs are deleted by `Storage.commit`. */
export interface HistoryStore {
  /** Live entries that have expired by `now`, the longest expired first. */
  expired(query: { tenantId: string; now: number; limit: number }): Promise<readonly EntryKey[]>
  /** Versions that ended at a position up to `upTo`, in order of that position. */
  ended(query: {
    tenantId: string
    upTo: number
    after: EndedPlace | null
    limit: number
  }): Promise<readonly EndedVersion[]>
  /** The oldest snapshot of the unfinished runs that were created after an instant; null without such a run. */
  oldestSnapshot(tenantId: string, madeAfter: number): Promise<number | null>
  /** Oldest first, by id. */
  runs(query: { tenantId: string; after: string | null; limit: number }): Promise<readonly RunAge[]>
  /** Oldest first, by id. */
  jobs(query: { tenantId: string; after: string | null; limit: number }): Promise<readonly JobAge[]>
  /** Deletes those of the jobs that have ended; returns how many. */
  removeJobs(tenantId: string, jobIds: readonly string[]): Promise<number>
  /** Deletes idempotency keys that were stored before an instant; returns how many. */
  removeOutcomes(query: { tenantId: string; before: number; limit: number }): Promise<number>
}
