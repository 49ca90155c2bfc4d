import type { ActivitySpan } from '../ports/stats-store.ts'

export type LiveRow = { readonly entries: number; readonly refs: number; readonly expiring: number | null }
export type CountRow = { readonly name: string; readonly count: number }
export type TotalRow = { readonly count: number }
export type SpanRow = ActivitySpan

export function toCounts(rows: readonly CountRow[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}

/** How the body of an audit record begins what it says of redactions; it says nothing when there were none. */
export const redactionsMark = '"redactions":['
