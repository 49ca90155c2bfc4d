import type { MemoryCall, Run, RunEvent, RunKey, RunStatus, RunSummary } from '../core/run/run.ts'

export type RunStanding = Pick<Run, 'status' | 'nextSequence'>

export type CallPlace = { readonly runId: string; readonly ordinal: number }

export type RunListQuery = {
  readonly tenantId: string
  readonly status: RunStatus | null
  readonly workflowId: string | null
  /** Only runs older than this one. */
  readonly after: string | null
  readonly limit: number
}

/** Reads runs. They are written by `Storage.commit`, together with the memory they write. */
export interface RunStore {
  get(tenantId: string, runId: string): Promise<Run | null>
  /** Where it stands, without reading its text. */
  standing(tenantId: string, runId: string): Promise<RunStanding | null>
  /** Newest first, by id. */
  list(query: RunListQuery): Promise<readonly RunSummary[]>
  /** In order, from `from` inclusive. */
  events(query: { tenantId: string; runId: string; from: number; limit: number }): Promise<readonly RunEvent[]>
  /** In order, from the ordinal `from` inclusive. */
  calls(query: { tenantId: string; runId: string; from: number; limit: number }): Promise<readonly MemoryCall[]>
  /** Calls of all runs, in order of run and ordinal. */
  scanCalls(query: {
    tenantId: string
    after: CallPlace | null
    limit: number
  }): Promise<readonly (MemoryCall & { readonly runId: string })[]>
  /** How many events each run has, by `runKeyOf`; runs that do not exist are left out. */
  sequences(runs: readonly RunKey[]): Promise<ReadonlyMap<string, number>>
}
