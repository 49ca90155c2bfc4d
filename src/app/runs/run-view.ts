import type { MemoryEntry } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { listEphemeral, parseEphemeralRef } from '../../core/run/ephemeral.ts'
import type { RunView } from '../entries/read.ts'
import type { Tenant } from '../tenant.ts'
import { getRun } from './control.ts'
import { checkSeen } from './hold.ts'

/** Memory as a run sees it: its snapshot, what it was given, and everything it wrote. */
export async function viewOfRun(tenant: Tenant, runId: string): Promise<RunView> {
  const run = await getRun(tenant, runId)
  checkSeen(run, tenant.now())
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
