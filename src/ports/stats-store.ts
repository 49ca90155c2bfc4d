/** How much a tenant has, and how its changes are spread over time. Numbers only. */
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
  /** How often each rule took something out, in the same changes. */
  readonly redactions: ReadonlyMap<string, number>
  /** Only spans in which something happened, in order. */
  readonly activity: readonly ActivitySpan[]
}

export type ActivitySpan = {
  /** When the span begins. */
  readonly at: number
  readonly changes: number
  /** How many of the changes had something taken out of them. */
  readonly redacted: number
}

export type StatsQuery = {
  readonly tenantId: string
  readonly now: number
  readonly expiringBefore: number
  readonly countMax: number
  /** Changes behind this position, in spans of so many milliseconds. */
  readonly afterPosition: number
  readonly spanMs: number
}

/** How the whole host stands, for whoever runs it. Numbers of all tenants together, each counted up to `countMax`. */
export type HostStats = {
  /** Queued or leased, due or not: a run that waits for an answer has one. */
  readonly jobsWaiting: number
  /** Due, and nobody has taken them yet. */
  readonly jobsDue: number
  /** Since when the one of those that waits longest is due. */
  readonly oldestDueAt: number | null
  readonly jobsDead: number
  /** Runs that have not ended, by status. */
  readonly runs: ReadonlyMap<string, number>
}

export interface StatsStore {
  read(query: StatsQuery): Promise<TenantStats>
  readHost(query: { readonly now: number; readonly countMax: number }): Promise<HostStats>
}
