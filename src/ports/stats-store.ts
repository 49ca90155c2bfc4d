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

export interface StatsStore {
  read(query: StatsQuery): Promise<TenantStats>
}
