import { limits } from '../../core/limits.ts'
import { isEnded, type RunEvent, runKeyOf } from '../../core/run/run.ts'
import type { RunLogStatus } from '../../ports/run-store.ts'
import type { Tenant } from '../tenant.ts'
import { getRunStatus } from './control.ts'

/** One page of a run's event log. The status is read first, or known: if the run has ended, its last event is in the log. */
export async function readLog(
  tenant: Tenant,
  runId: string,
  from: number,
  known?: RunLogStatus,
): Promise<{ readonly standing: RunLogStatus; readonly events: readonly RunEvent[]; readonly isFull: boolean }> {
  const standing = known ?? (await getRunStatus(tenant, runId))
  if (standing.nextSequence <= from) return { standing, events: [], isFull: false }
  const limit = limits.eventPageMax
  const events = await tenant.storage.runs.events({ tenantId: tenant.id, runId, from, limit })
  return { standing, events, isFull: events.length === limit }
}

/** Resolves when the run has more than `seen` events, or when the signal aborts. */
export async function waitForEvents(tenant: Tenant, runId: string, seen: number, signal: AbortSignal): Promise<void> {
  const woken = tenant.engine.runWatch.wait(runKeyOf(tenant.id, runId), seen, signal)
  // Reads once more after the watch is set: an event in between would not wake it.
  if ((await getRunStatus(tenant, runId)).nextSequence <= seen) await woken
}

/** The events after a sequence. While there are none and the run is active, it waits, at most until the signal aborts (long poll). */
export async function pollLog(
  tenant: Tenant,
  runId: string,
  after: number,
  signal: AbortSignal,
): Promise<{ readonly standing: RunLogStatus; readonly events: readonly RunEvent[] }> {
  const next = after + 1
  let known: RunLogStatus | undefined
  for (;;) {
    // Begins before the read: an event in between ends it. The signal ends a wait that is not needed.
    const woken = tenant.engine.runWatch.wait(runKeyOf(tenant.id, runId), next, signal)
    const { standing, events } = await readLog(tenant, runId, next, known)
    const hasMore = standing.nextSequence > next
    if (hasMore || isEnded(standing.status) || signal.aborted) return { standing, events }
    // A sequence beyond the end of the log also waits for the next event.
    if (standing.nextSequence < next) await waitForEvents(tenant, runId, standing.nextSequence, signal)
    else known = await woken
  }
}
