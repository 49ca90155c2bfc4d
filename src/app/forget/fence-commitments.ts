import { toCommitment } from '../../core/commitments/commitment.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { everySequence, type NewFence } from '../../core/forget/fence.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import { commitmentsOfRef } from '../commitments/find-commitments.ts'
import type { ForgetProcess } from './forget-process.ts'

/** Fences the commitments of entries that are erased. They repeat a sentence of the entry, so they go with it in any case. */
export async function fenceCommitments(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const known = new Set(erasure.fences.flatMap(({ kind, value }) => (kind === 'entry' ? [value] : [])))
  const byRef = new Map<string, readonly EntryVersion[]>()
  for (let after: ScanPlace | null = null; ; ) {
    await erasure.nextPage()
    const query = { tenantId: tenant.id, fences: erasure.fences, after, limit: limits.forgetScanRowsMax }
    const page: Awaited<ReturnType<typeof tenant.storage.forget.scan>> = await tenant.storage.forget.scan(query)
    const added: NewFence[] = []
    const ids = new Set(page.versions.map(({ entryId }) => entryId))
    for (const memoryRef of new Set(page.versions.map((version) => version.memoryRef))) {
      if (isPrivateRef(memoryRef)) continue
      const commitments = byRef.get(memoryRef) ?? (await commitmentsOfRef(tenant, memoryRef))
      byRef.set(memoryRef, commitments)
      for (const version of commitments) {
        const { commitmentId, memoryId } = toCommitment(version)
        if (memoryId === null || !ids.has(memoryId) || known.has(commitmentId)) continue
        known.add(commitmentId)
        added.push({ kind: 'entry', value: commitmentId, position: Number.MAX_SAFE_INTEGER, ...everySequence })
      }
    }
    if (added.length > 0) await erasure.step({}, {}, added)
    after = page.next
    if (after === null) return
  }
}
