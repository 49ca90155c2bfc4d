import type { MemoryEntry } from '../../core/entries/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { holdsSnapshot } from '../../core/retention.ts'
import { listEphemeral, parseEphemeralRef } from '../../core/run/ephemeral.ts'
import { isEnded, type Run } from '../../core/run/run.ts'
import type { RunView } from '../entries/read.ts'
import type { Tenant } from '../tenant.ts'
import { getRun } from './control.ts'

/** Memory as a run sees it: its snapshot, what it was given, and everything it wrote. */
export async function viewOfRun(tenant: Tenant, runId: string): Promise<RunView> {
  const run = await getRun(tenant, runId)
  assertSnapshotReadable(run, tenant.now())
  const { snapshot, facts } = run
  const self = { runId, beforeSequence: Number.MAX_SAFE_INTEGER }
  return { snapshot: snapshot.position, own: [...facts.own, self] }
}

/** The entries of a scratchpad or conversation, newest first; none once its run has ended. */
export async function readEphemeral(
  tenant: Tenant,
  memoryRef: string,
  options: { readonly tag?: string | undefined; readonly limit?: number } = {},
): Promise<MemoryEntry[]> {
  const ref = parseEphemeralRef(memoryRef)
  const run = ref && (await tenant.storage.runs.get(tenant.id, ref.runId))
  const { tag = null, limit = limits.ephemeralEntriesMax } = options
  return listEphemeral(run?.text.ephemeral[ref?.name ?? ''] ?? [], { tag, limit, now: tenant.now() })
}

/** A run that has been under way for too long no longer holds its snapshot: what it would read may be incomplete. */
export function assertSnapshotRetained(run: Pick<Run, 'createdAt'>, now: number): void {
  if (!holdsSnapshot(run, now)) throw snapshotExpired()
}

/** The same for whoever looks through a run's eyes from outside; of a run that is over, what is kept decides. */
export function assertSnapshotReadable(run: Run, now: number): void {
  if (run.facts.expired) throw snapshotExpired()
  if (!isEnded(run.status)) assertSnapshotRetained(run, now)
}

function snapshotExpired(): ColophonError {
  return new ColophonError('snapshot_expired', 'What this run saw is no longer kept.')
}
