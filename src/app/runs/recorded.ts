import { limits } from '../../core/limits.ts'
import type { MemoryCall, Run, RunEvent } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'

/** What is recorded of a run: a replay repeats this and nothing else. */
export type RecordedRun = {
  readonly run: Run
  readonly events: readonly RunEvent[]
  readonly calls: readonly MemoryCall[]
}

export async function loadRecorded(tenant: Tenant, run: Run): Promise<RecordedRun> {
  const [events, calls] = await Promise.all([allEvents(tenant, run.runId), allCalls(tenant, run.runId)])
  return { run, events, calls }
}

export async function allEvents(tenant: Tenant, runId: string, from = 0): Promise<RunEvent[]> {
  return readAll(
    (next, limit) => tenant.storage.runs.events({ tenantId: tenant.id, runId, from: next, limit }),
    from,
    (event) => event.sequence,
  )
}

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

/** The memory of the session that a run leaves behind, told just before its last event. */
export function isOfSession({ type, nodeId }: RunEvent): boolean {
  return type === 'memory.written' && nodeId === null
}

/** The calls a node made, in order. */
export function callsOf(calls: readonly MemoryCall[], nodeId: string): MemoryCall[] {
  return calls.filter((call) => call.nodeId === nodeId)
}
