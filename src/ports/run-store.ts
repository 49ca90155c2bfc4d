import type { MemoryCall } from '../core/run/memory-call.ts'
import type { Run, RunEvent, RunKey, RunStatus, RunSummary } from '../core/run/run.ts'

/** The state of a run's log: enough to know whether a reader has all of it. */
export type RunLogStatus = Pick<Run, 'status' | 'nextSequence'>

/** Where a scan of memory calls resumes. */
export type CallPlace = { readonly runId: string; readonly ordinal: number }

export type RunListQuery = {
  readonly tenantId: string
  readonly status: RunStatus | null
  readonly workflowId: string | null
  /** Only runs older than this one. */
  readonly after: string | null
  readonly limit: number
}

/** Reads runs. `Storage.commit` writes them, together with the entries that they write. */
export interface RunStore {
  /** Null when there is none. */
  get(tenantId: string, runId: string): Promise<Run | null>
  /** Its status and the number of its events, without reading its text. Null when there is none. */
  logStatus(tenantId: string, runId: string): Promise<RunLogStatus | null>
  /** Newest first, by id. */
  list(query: RunListQuery): Promise<readonly RunSummary[]>
  /** Events in order of sequence, from `from` inclusive. */
  events(query: { tenantId: string; runId: string; from: number; limit: number }): Promise<readonly RunEvent[]>
  /** Memory calls in order, from the ordinal `from` inclusive. */
  calls(query: { tenantId: string; runId: string; from: number; limit: number }): Promise<readonly MemoryCall[]>
  /** Calls of all runs, in order of run and ordinal. */
  scanCalls(query: {
    tenantId: string
    after: CallPlace | null
    limit: number
  }): Promise<readonly (MemoryCall & { readonly runId: string })[]>
  /** How many events each run has, by `runKeyOf`. Across tenants: each run is named with its tenant. Runs that are not stored are left out. */
  sequences(runs: readonly RunKey[]): Promise<ReadonlyMap<string, number>>
}
