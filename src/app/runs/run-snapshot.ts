import type { ClassedEntry } from '../../core/entries/entry.ts'
import { defaultTrust } from '../../core/entries/trust.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { holdsSnapshot } from '../../core/retention.ts'
import { conversationChannel, messagesOf, toEntries } from '../../core/run/channel.ts'
import { listEphemeral, parseEphemeralRef } from '../../core/run/ephemeral.ts'
import { isEnded, type Run } from '../../core/run/run.ts'
import type { RunView } from '../entries/read.ts'
import type { Tenant } from '../tenant.ts'
import { getRun, isOfReader } from './control.ts'

/** The view of a run: its snapshot, the writes it inherited from its parent or source, and its own writes. */
export async function viewOfRun(tenant: Tenant, runId: string): Promise<RunView> {
  const run = await getRun(tenant, runId)
  assertSnapshotReadable(run, tenant.now())
  const { snapshot, facts } = run
  const self = { runId, beforeSequence: Number.MAX_SAFE_INTEGER }
  return { snapshot: snapshot.position, own: [...facts.own, self], trustMin: facts.trustMin ?? defaultTrust }
}

/** The entries of a scratchpad or conversation, newest first. Empty once the run has ended. */
export async function readEphemeral(
  tenant: Tenant,
  memoryRef: string,
  options: { readonly tag?: string | undefined; readonly limit?: number } = {},
): Promise<ClassedEntry[]> {
  const ref = parseEphemeralRef(memoryRef)
  const found = ref && (await tenant.storage.runs.get(tenant.id, ref.runId))
  const run = found && isOfReader(tenant, found) ? found : null
  const { tag = null, limit = limits.ephemeralEntriesMax } = options
  if (run === null || ref === null) return []
  const isConversation = ref.name === conversationChannel
  const entries = isConversation ? toEntries(messagesOf(run.text, ref.name)) : (run.text.ephemeral[ref.name] ?? [])
  return listEphemeral(entries, { tag, limit, now: tenant.expiryNow() })
}

/** Throws when an active run is so old that its snapshot is no longer retained: a read could be incomplete. */
export function assertSnapshotRetained(run: Pick<Run, 'createdAt'>, now: number): void {
  if (!holdsSnapshot(run, now)) throw snapshotExpired()
}

/** The same for clients that read at the view of a run. For an ended run it depends on whether its history was pruned. */
export function assertSnapshotReadable(run: Run, now: number): void {
  if (run.facts.expired) throw snapshotExpired()
  if (!isEnded(run.status)) assertSnapshotRetained(run, now)
}

function snapshotExpired(): ColophonError {
  return new ColophonError('snapshot_expired', 'The snapshot of this run is no longer retained.')
}
