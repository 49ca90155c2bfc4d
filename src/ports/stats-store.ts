import type { CountedTable } from '../core/quotas/stored-bytes.ts'
import type { RowKey } from './stored-rows.ts'

/** How much a tenant has stored, and how its changes are spread over time. Numbers only. */
export type TenantStats = {
  /** Live and not expired; counted up to the query's `countMax`. */
  readonly entries: number
  readonly refs: number
  /** Of those entries: how many expire before the query's `expiringBefore`. */
  readonly expiring: number
  readonly runs: ReadonlyMap<string, number>
  readonly jobs: ReadonlyMap<string, number>
  readonly contestedClaims: number
  readonly sourceEvents: number
  /** How many secrets each rule replaced, in the same changes. */
  readonly redactions: ReadonlyMap<string, number>
  /** Only spans with changes, in order. */
  readonly activity: readonly ActivitySpan[]
}

export type ActivitySpan = {
  /** When the span begins. */
  readonly at: number
  readonly changes: number
  /** How many of the changes had a secret replaced. */
  readonly redacted: number
}

export type StatsQuery = {
  readonly tenantId: string
  readonly now: number
  readonly expiringBefore: number
  readonly countMax: number
  /** Only changes after this position are counted. */
  readonly afterPosition: number
  readonly spanMs: number
}

/** The state of the whole host, for the operator. Numbers of all tenants together, each counted up to `countMax`. */
export type HostStats = {
  /** Queued or leased, due or not: a run that waits for an answer has one. */
  readonly jobsWaiting: number
  /** Due, and not leased yet. */
  readonly jobsDue: number
  /** When the oldest of those became due. */
  readonly oldestDueAt: number | null
  readonly jobsDead: number
  /** Runs that have not ended, by status. */
  readonly runs: ReadonlyMap<string, number>
}

/** What the commits of a range of positions added, less what they ended. */
export type StoredGrowth = { readonly entries: number; readonly bytes: number }

/** The bytes of a page of rows of one table, and the key of its last row; null after the last page. */
export type CountedBytes = { readonly bytes: number; readonly next: RowKey | null }

export type PendingWork = { readonly runs: number; readonly jobs: number }

/** Counts what is stored. Every count is bounded, so that it cannot load the database. */
export interface StatsStore {
  read(query: StatsQuery): Promise<TenantStats>
  /**
   * Current entries and bytes (`bytesOfVersion`) that the positions after one, up to another, have added. From 0 to the newest position it is all
   * that is stored. Versions that were erased meanwhile are left out, also if their entry was ended in the range.
   */
  growth(query: { readonly tenantId: string; readonly after: number; readonly to: number }): Promise<StoredGrowth>
  /** What the rows of a table count for the quota of bytes, page by page: everything but the versions of entries, which have positions. */
  bytes(query: {
    readonly tenantId: string
    readonly table: CountedTable
    readonly after: RowKey | null
    readonly limit: number
  }): Promise<CountedBytes>
  /** Runs and jobs that have not ended, each counted up to `countMax`. */
  pending(query: { readonly tenantId: string; readonly countMax: number }): Promise<PendingWork>
  /** Across tenants. */
  readHost(query: { readonly now: number; readonly countMax: number }): Promise<HostStats>
}
