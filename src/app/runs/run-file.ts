import { fullAccess } from '../../core/entries/access.ts'
import { readerForbidden } from '../../core/entries/readers.ts'
import { ColophonError } from '../../core/errors.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { defaultWorkspace, refOfWorkspace } from '../../core/workspace/workspace-file.ts'
import { checkFile, type FileDraft, planPut } from '../workspace/files.ts'
import { readersOfReads } from './readers-of-reads.ts'
import type { RunExecution } from './run-execution.ts'

/** A file that the run did not find: refuses it with the reason if its class is too low for the run. A replay finds what its source found. */
export async function refuseUnreadableFile(
  { tenant, progress, source }: RunExecution,
  path: string,
  trustMin = progress.view.access.trustMin,
): Promise<void> {
  if (source !== null) return
  if (progress.view.access.reader !== null)
    throw readerForbidden('A run for a reader cannot read a file: workspace files are of the whole tenant.')
  const view = { position: progress.base.snapshot.position, own: [], access: fullAccess }
  const query = { tenantId: tenant.id, memoryRef: refOfWorkspace(defaultWorkspace), tag: path, view }
  const { versions } = await tenant.storage.list({ ...query, now: tenant.expiryNow(), before: null, limit: 1 })
  const trust = versions[0]?.trust
  if (trust === undefined) return
  // The path is text of the tenant, so the error does not have it: the node is named beside it.
  throw new ColophonError(
    'workspace_file_untrusted',
    `The file has the class ${trust}, and the node reads nothing below ${trustMin}.`,
    { details: { trust, trustMin } },
  )
}

/**
 * Adds a new version of a workspace file to the run's next commit, with its event. The run itself keeps seeing the files of its snapshot;
 * later runs see the new version.
 */
export async function putFileInRun(
  execution: RunExecution,
  { nodeId, agentId }: { readonly nodeId: string; readonly agentId: string | null },
  path: string,
  draft: FileDraft,
): Promise<Pick<MemoryCall, 'memoryRef' | 'entries'>> {
  const { tenant, progress } = execution
  const file = await checkFile(tenant, path, draft)
  const { reader = null, actor } = progress.facts
  if (reader !== null)
    throw readerForbidden('A run for a reader cannot write a file: workspace files are of the whole tenant.')
  // Everyone in the tenant can read a file.
  if ((await readersOfReads(tenant, progress)) !== null)
    throw readerForbidden('The run has read entries that not everyone may read, so it cannot write a file.')
  const agent = agentId === null ? {} : { agentId }
  const origin = { kind: 'run', runId: progress.base.runId, sequence: progress.nextSequence, nodeId, ...agent } as const
  const { change, version, key } = await planPut(
    tenant,
    defaultWorkspace,
    file,
    {},
    {
      actor,
      origin,
      trust: progress.writeTrust,
    },
  )
  await execution.ensureRoom(change)
  progress.puts.push(...(change.puts ?? []))
  progress.revisions.push(...(change.revisions ?? []))
  progress.expects.push(...(change.expects ?? []))
  progress.capacities.push(...(change.capacities ?? []))
  // The path is text: it may contain a name, and is redacted and forgotten like one.
  progress.emit('workspace.updated', { nodeId, facts: { version }, text: { path: file.path } })
  return { memoryRef: refOfWorkspace(defaultWorkspace), entries: [{ id: key.entryId, version: key.version }] }
}
