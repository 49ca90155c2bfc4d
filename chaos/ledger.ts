import type { SourceEvent } from './plan.ts'

/** The reference model: everything that was acknowledged to one tenant. */
export type Ledger = {
  readonly entries: Map<string, { readonly ref: string; readonly content: string; isDeleted: boolean }>
  readonly sourceEvents: Map<string, SourceEvent & { readonly jobId: string }>
  /** The contents of an edited memory, by its id, the ingested one first. */
  readonly edited: Map<string, { readonly user: string; readonly contents: string[] }>
  readonly runs: Map<string, { readonly name: string; readonly workflow: string }>
  readonly scheduleJobs: string[]
  /** Commitments whose statement has come true: each fires once. */
  readonly promises: Set<string>
  /** Archives, by the id of the distillation. */
  readonly distilled: Map<string, string>
  /** Refs with two entries that say the same, by the job that merges them. */
  readonly consolidated: Map<string, string>
  /** Forgotten refs, by the id of the request. */
  readonly forgotten: Map<string, string>
}

export function createLedger(): Ledger {
  const maps = { entries: new Map(), sourceEvents: new Map(), edited: new Map(), runs: new Map(), forgotten: new Map() }
  const derived = { promises: new Set<string>(), distilled: new Map(), consolidated: new Map() }
  return { ...maps, ...derived, scheduleJobs: [] }
}
