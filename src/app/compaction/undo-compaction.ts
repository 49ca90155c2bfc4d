import type { Revision } from '../../core/commit/batch.ts'
import { type Compaction, compactionStateError, isDistillation } from '../../core/compaction/compaction.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { planIndex, previousArchive } from '../distillation/index-file.ts'
import { originOfContent } from '../entries/content-origin.ts'
import type { Tenant } from '../tenant.ts'

/**
 * Undoes a compaction in one commit: ends its output and gives each source its next version, with its old text, tags, age and
 * place, so lists are as before. Sources that have expired meanwhile do not come back.
 */
export async function undoCompaction(
  tenant: Tenant,
  compactionId: string,
  options: WriteOptions = {},
): Promise<{ readonly compaction: Compaction; readonly repeated: boolean }> {
  const write = { ...options, call: { operation: 'compaction.undo', compactionId } }
  return decideAndCommit(async () => {
    const compaction = await tenant.storage.compactions.get(tenant.id, compactionId)
    if (compaction === null) throw new ColophonError('not_found', 'There is no such compaction.')
    const change = await planUndo(tenant, compaction, options.actor ?? tenant.engine.actor).catch(
      async (error: unknown) => {
        // The first call with this idempotency key may have undone it.
        if (isColophonError(error, 'compaction_state') && (await tenant.findOutcome(write))) return null
        throw error
      },
    )
    const repeated = change === null || (await tenant.commit(change, write)).repeated
    const undone = await tenant.storage.compactions.get(tenant.id, compactionId)
    return { compaction: undone ?? compaction, repeated }
  })
}

async function planUndo(tenant: Tenant, compaction: Compaction, actor: string): Promise<Change> {
  const { compactionId, memoryRef, outputId } = compaction
  if (compaction.status === 'undone') throw compactionStateError('already_undone', 'The compaction was undone already.')
  const [output] = await tenant.storage.provenance.newestVersions(tenant.id, [outputId])
  if (output === undefined || output.endedPosition !== null)
    throw compactionStateError('output_changed', 'The output of the compaction was changed or deleted.')
  if (isDistillation(compaction)) return planUndoOfDistillation(tenant, compaction, output, actor)
  const sources = await loadSources(tenant, compaction)
  const now = tenant.expiryNow()
  const back = sources.filter((source) => !isExpired(source, now))
  return {
    kind: 'memory.compaction_undone',
    compactions: [{ undone: compactionId }],
    revisions: await Promise.all(back.map((source) => toRevision(tenant, source))),
    ends: [{ memoryRef, entryId: outputId, reason: 'undone' }],
    expects: [
      { memoryRef, entryId: outputId, version: output.version },
      ...back.map(({ entryId, version }) => ({ memoryRef, entryId, version, isEnded: true as const })),
    ],
  }
}

/** Its sources are as they were. The archive ends, and the index names the one before it. */
async function planUndoOfDistillation(
  tenant: Tenant,
  compaction: Compaction,
  { memoryRef, entryId, version }: EntryVersion,
  actor: string,
): Promise<Change> {
  const index = await planIndex(tenant, compaction.memoryRef, await previousArchive(tenant, compaction), actor)
  const { puts = [], revisions = [], expects = [] } = index?.change ?? {}
  return {
    kind: 'memory.compaction_undone',
    compactions: [{ undone: compaction.compactionId }],
    puts,
    revisions,
    ends: [{ memoryRef, entryId, reason: 'undone' }],
    expects: [{ memoryRef, entryId, version }, ...expects],
  }
}

async function loadSources(tenant: Tenant, compaction: Compaction): Promise<EntryVersion[]> {
  const sources = await tenant.storage.compactions.sources(tenant.id, compaction.compactionId)
  const ids = sources.map(({ entryId }) => entryId)
  const found = await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const byId = new Map(found.map((version) => [version.entryId, version]))
  if (sources.length < compaction.sourceCount) throw sourceGone()
  return sources.map(({ entryId, version }) => {
    const newest = byId.get(entryId)
    if (newest === undefined) throw sourceGone()
    const isAsLeft = newest.version === version && newest.endedPosition === compaction.recordedPosition
    if (!isAsLeft) throw compactionStateError('source_changed', 'A source has changed since the compaction.')
    return newest
  })
}

function sourceGone(): ColophonError {
  return compactionStateError(
    'source_gone',
    'A source is no longer stored: it was forgotten, or its retention has ended.',
  )
}

async function toRevision(tenant: Tenant, source: EntryVersion): Promise<Revision> {
  const { memoryRef, entryId, content, tags } = source
  const origin = await originOfContent(tenant, source)
  return { memoryRef, entryId, content, tags, origin, revives: true, salt: tenant.system.newSalt() }
}
