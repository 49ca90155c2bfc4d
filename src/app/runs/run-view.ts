import type { MemoryEntry } from '../../core/entry.ts'
import { limits } from '../../core/limits.ts'
import { listEphemeral, parseEphemeralRef } from '../../core/run/ephemeral.ts'
import type { Deps } from '../deps.ts'
import type { RunView } from '../read.ts'
import { getRun } from './control.ts'
import { checkSeen } from './hold.ts'

/** Memory as a run sees it: its snapshot, what it was given, and everything it wrote. */
export async function viewOfRun(deps: Deps, tenantId: string, runId: string): Promise<RunView> {
  const run = await getRun(deps, tenantId, runId)
  checkSeen(run, deps.system.now())
  const { snapshot, facts } = run
  const self = { runId, beforeSequence: Number.MAX_SAFE_INTEGER }
  return { snapshot: snapshot.position, own: [...facts.own, self] }
}

/** The entries of a scratchpad or conversation, newest first; none once its run has ended. */
export async function readEphemeral(
  deps: Deps,
  tenantId: string,
  memoryRef: string,
  options: { readonly tag?: string | undefined; readonly limit?: number } = {},
): Promise<MemoryEntry[]> {
  const ref = parseEphemeralRef(memoryRef)
  const run = ref && (await deps.storage.runs.get(tenantId, ref.runId))
  const { tag = null, limit = limits.ephemeralEntriesMax } = options
  return listEphemeral(run?.text.ephemeral[ref?.name ?? ''] ?? [], { tag, limit, now: deps.system.now() })
}
