import { isExpired } from '../../core/entries/as-of.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Run, RunEvent } from '../../core/run/run.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

/** The record of a run: its state, its event log and its memory calls. A replay repeats this and nothing else. */
export type RecordedRun = {
  readonly run: Run
  readonly events: readonly RunEvent[]
  readonly calls: readonly MemoryCall[]
}

/** Reads the whole record of a run. */
export async function loadRecordedRun(tenant: Tenant, run: Run): Promise<RecordedRun> {
  const [events, calls] = await Promise.all([allEvents(tenant, run.runId), allCalls(tenant, run.runId)])
  return { run, events, calls }
}

/** The event log of a run, from a sequence on. */
export async function allEvents(tenant: Tenant, runId: string, from = 0): Promise<RunEvent[]> {
  return readAll(
    (next, limit) => tenant.storage.runs.events({ tenantId: tenant.id, runId, from: next, limit }),
    from,
    (event) => event.sequence,
  )
}

/** The memory calls of a run, in order. */
export async function allCalls(tenant: Tenant, runId: string): Promise<MemoryCall[]> {
  return readAll(
    (from, limit) => tenant.storage.runs.calls({ tenantId: tenant.id, runId, from, limit }),
    0,
    (call) => call.ordinal,
  )
}

async function readAll<T>(
  read: (from: number, limit: number) => Promise<readonly T[]>,
  from: number,
  placeOf: (row: T) => number,
): Promise<T[]> {
  const rows: T[] = []
  for (let next = from; ; ) {
    const page = await read(next, limits.eventPageMax)
    rows.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < limits.eventPageMax) return rows
    next = placeOf(last) + 1
  }
}

/** The event of the session summary, which comes just before the run's last event. */
export function isSessionSummary({ type, nodeId }: RunEvent): boolean {
  return type === 'memory.written' && nodeId === null
}

/** The memory calls of one node, in order. */
export function callsOfNode(calls: readonly MemoryCall[], nodeId: string): MemoryCall[] {
  return calls.filter((call) => call.nodeId === nodeId)
}

/** A replay reached a step that its source never took. The step must not be taken now. */
export class ReplaySourceMissing extends Error {
  override readonly name = 'ReplaySourceMissing'

  constructor() {
    super('The source run has no record of this step.')
  }
}

/** The expiry of an entry that a recorded call returned, and the instant of the call. */
type RecordedRead = { readonly expiresAt: number | null; readonly readAt: number }

/**
 * Whether one of these entries has expired and must not be returned again. The setting `replay_expired` of a tenant may
 * allow replays to return entries that were read before they expired.
 */
export async function isExpiredForReplay(tenant: Tenant, reads: readonly RecordedRead[]): Promise<boolean> {
  const now = tenant.expiryNow()
  const expired = reads.filter((read) => isExpired(read, now))
  if (expired.length === 0) return false
  if (expired.some((read) => isExpired(read, read.readAt))) return true
  return (await loadSettings(tenant.storage, tenant.id)).replayExpired !== 'allow'
}

/** For entries that expired after the fork was created: the replay finds out when it reads them. */
export async function refuseExpired(tenant: Tenant, reads: readonly RecordedRead[]): Promise<void> {
  if (!(await isExpiredForReplay(tenant, reads))) return
  throw new ColophonError('replay_memory_snapshot_unavailable', 'An entry that the run read has expired.', {
    details: { reason: 'retention_expired', cause: 'expired' },
  })
}
