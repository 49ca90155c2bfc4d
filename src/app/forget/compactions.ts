import type { Revision } from '../../core/commit/batch.ts'
import { everySequence, type NewFence } from '../../core/forget/fence.ts'
import { limits } from '../../core/limits.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import type { Work } from './work.ts'

/** Hides what compactions made of entries that go; what was made of that is found in the next round. */
export async function findCompactionOutputs(work: Work): Promise<void> {
  if (!work.cascade) return
  const { tenant } = work
  const known = new Set(work.fences.flatMap(({ kind, value }) => (kind === 'entry' ? [value] : [])))
  for (let after: ScanPlace | null = null; ; ) {
    await work.nextPage()
    const query = { tenantId: tenant.id, fences: work.fences, after, limit: limits.forgetScanRowsMax }
    const page: Awaited<ReturnType<typeof tenant.storage.forget.scan>> = await tenant.storage.forget.scan(query)
    const ids = [...new Set(page.versions.map(({ entryId }) => entryId))]
    const made = ids.length === 0 ? [] : await tenant.storage.compactions.derivedFrom(tenant.id, ids)
    const outputs = [...new Set(made.map(({ outputId }) => outputId))].filter(
      (id) => !known.has(id) && !ids.includes(id),
    )
    const lines: NewFence[] = outputs.map((value) => {
      known.add(value)
      return { kind: 'entry', value, position: Number.MAX_SAFE_INTEGER, ...everySequence }
    })
    if (lines.length > 0) await work.step({}, {}, lines)
    after = page.next
    if (after === null) return
  }
}

/**
 * Compactions that these entries went into or came out of: they go, and what else went into them is there again. The caller
 * notes them as seen once they are stored.
 */
export async function dissolveCompactions(
  work: Work,
  entryIds: readonly string[],
): Promise<{ readonly compactions: readonly string[]; readonly revisions: readonly Revision[] }> {
  const { tenant } = work
  const made = await tenant.storage.compactions.derivedFrom(tenant.id, entryIds)
  const open = made.filter(({ compactionId }) => !work.seen.has(compactionId))
  const revisions: Revision[] = []
  for (const { compactionId, status } of open) {
    if (status !== 'completed' || !work.cascade) continue
    const sources = await tenant.storage.compactions.sources(tenant.id, compactionId)
    // Reads through the fence: what is to go is not among them.
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
