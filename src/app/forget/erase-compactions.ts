import type { Revision } from '../../core/commit/batch.ts'
import { isDistillation } from '../../core/compaction/compaction.ts'
import { everySequence, type NewFence } from '../../core/forget/fence.ts'
import { fencedRefs } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import { foldName } from '../../core/people/spelling.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import type { ForgetProcess } from './forget-process.ts'

/**
 * Fences the outputs of compactions whose sources are erased. Outputs of those outputs are found in the next round. Returns the runs that
 * logged compactions of a forgotten ref: their events name it.
 */
export async function findCompactionOutputs(erasure: ForgetProcess): Promise<ReadonlySet<string>> {
  const runIds = new Set<string>()
  if (!erasure.cascade) return runIds
  const { tenant } = erasure
  const refs = new Set(fencedRefs(erasure.fences))
  const known = new Set(erasure.fences.flatMap(({ kind, value }) => (kind === 'entry' ? [value] : [])))
  for (let after: ScanPlace | null = null; ; ) {
    await erasure.nextPage()
    const query = { tenantId: tenant.id, fences: erasure.fences, after, limit: limits.forgetScanRowsMax }
    const page: Awaited<ReturnType<typeof tenant.storage.forget.scan>> = await tenant.storage.forget.scan(query)
    const ids = [...new Set(page.versions.map(({ entryId }) => entryId))]
    const made = ids.length === 0 ? [] : await tenant.storage.compactions.derivedFrom(tenant.id, ids)
    for (const { memoryRef, runId } of made) if (runId !== null && refs.has(foldName(memoryRef))) runIds.add(runId)
    const outputs = [...new Set(made.map(({ outputId }) => outputId))].filter(
      (id) => !known.has(id) && !ids.includes(id),
    )
    const added: NewFence[] = outputs.map((value) => {
      known.add(value)
      return { kind: 'entry', value, position: Number.MAX_SAFE_INTEGER, ...everySequence }
    })
    if (added.length > 0) await erasure.step({}, {}, added)
    after = page.next
    if (after === null) return runIds
  }
}

/**
 * Finds the compactions that have these entries as a source or an output. They are deleted, and their other sources are restored. The
 * caller adds them to `seen` after the commit.
 */
export async function dissolveCompactions(
  erasure: ForgetProcess,
  entryIds: readonly string[],
): Promise<{ readonly compactions: readonly string[]; readonly revisions: readonly Revision[] }> {
  const { tenant } = erasure
  const made = await tenant.storage.compactions.derivedFrom(tenant.id, entryIds)
  const open = made.filter(({ compactionId }) => !erasure.seen.has(compactionId))
  const revisions: Revision[] = []
  for (const compaction of open) {
    const { compactionId, status } = compaction
    // A distillation has ended none of its sources.
    if (status !== 'completed' || !erasure.cascade || isDistillation(compaction)) continue
    const sources = await tenant.storage.compactions.sources(tenant.id, compactionId)
    // This read does not return fenced entries, so none of them is restored.
    const left = await tenant.storage.provenance.newestVersions(
      tenant.id,
      sources.map(({ entryId }) => entryId),
    )
    for (const version of left) {
      if (version.endedReason !== 'compacted') continue
      const { memoryRef, entryId, content, tags, origin } = version
      revisions.push({ memoryRef, entryId, content, tags, origin, salt: tenant.system.newSalt(), revives: true })
    }
  }
  return { compactions: open.map(({ compactionId }) => compactionId), revisions }
}
