import type { ActivitySpan, HostStats, StoredGrowth } from '../../ports/stats-store.ts'

export type LiveRow = { readonly entries: number; readonly refs: number; readonly expiring: number | null }
export type CountRow = { readonly name: string; readonly count: number }
export type TotalRow = { readonly count: number }
export type SpanRow = ActivitySpan

export type WaitingRow = { readonly waiting: number; readonly due: number | null; readonly oldest: number | null }

export type GrowthRow = { readonly recorded: number; readonly ended: number; readonly bytes: number | string | null }

export function toStoredGrowth(row: GrowthRow | undefined): StoredGrowth {
  return { entries: (row?.recorded ?? 0) - (row?.ended ?? 0), bytes: Number(row?.bytes ?? 0) }
}

export function toHostStats(
  waiting: WaitingRow | undefined,
  dead: TotalRow | undefined,
  runs: readonly CountRow[],
): HostStats {
  return {
    jobsWaiting: waiting?.waiting ?? 0,
    jobsDue: waiting?.due ?? 0,
    oldestDueAt: waiting?.oldest ?? null,
    jobsDead: dead?.count ?? 0,
    runs: toCounts(runs),
  }
}

export function toCounts(rows: readonly CountRow[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}

/** How the body of an audit record begins what it says of redactions; it says nothing when there were none. */
export const redactionsMark = '"redactions":['
