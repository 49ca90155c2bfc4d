import type { EntryKey } from '../core/entries/entry.ts'
import type { EndedVersion } from '../core/retention.ts'

export type EndedPlace = Pick<EndedVersion, 'endedPosition' | 'entryId' | 'version'>

export type RunAge = {
  readonly runId: string
  readonly createdAt: number
  readonly endedAt: number | null
  /** How many events it has. */
  readonly nextSequence: number
}

export type JobAge = { readonly jobId: string; readonly createdAt: number; readonly endedAt: number | null }

/** What is old: found page by page, so that it can be taken away in small steps. Memory and runs go by `Storage.commit`. */
export interface HistoryStore {
  /** Live entries whose time is over, longest first. */
  expired(query: { tenantId: string; now: number; limit: number }): Promise<readonly EntryKey[]>
  /** Versions that ended up to a position, in that order. */
  ended(query: {
    tenantId: string
    upTo: number
    after: EndedPlace | null
    limit: number
  }): Promise<readonly EndedVersion[]>
  /** Oldest first, by id. */
  runs(query: { tenantId: string; after: string | null; limit: number }): Promise<readonly RunAge[]>
  /** Oldest first, by id. */
  jobs(query: { tenantId: string; after: string | null; limit: number }): Promise<readonly JobAge[]>
  /** Deletes those that are over; how many were. */
  removeJobs(tenantId: string, jobIds: readonly string[]): Promise<number>
  /** Deletes what idempotency keys remember from before an instant; how many were deleted. */
  removeOutcomes(query: { tenantId: string; before: number; limit: number }): Promise<number>
}
