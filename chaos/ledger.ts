import type { Told } from './plan.ts'

/** The plain model: what one tenant was told has happened. Everything in here was acknowledged. */
export type Ledger = {
  readonly entries: Map<string, { readonly ref: string; readonly content: string; isDeleted: boolean }>
  readonly told: Map<string, Told & { readonly jobId: string }>
  /** Contents that a memory took on, by its id, the one it was told with first. */
  readonly edited: Map<string, { readonly user: string; readonly contents: string[] }>
  readonly runs: Map<string, { readonly name: string; readonly workflow: string }>
  readonly scheduleJobs: string[]
  /** Refs that were to be forgotten with all they hold, by the id of the request. */
  readonly forgotten: Map<string, string>
}

export function createLedger(): Ledger {
  const maps = { entries: new Map(), told: new Map(), edited: new Map(), runs: new Map(), forgotten: new Map() }
  return { ...maps, scheduleJobs: [] }
}
