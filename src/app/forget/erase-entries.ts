import type { SourceErasure } from '../../core/forget/forgetting.ts'
import { limits } from '../../core/limits.ts'
import { batchOf } from '../../core/provenance/source-event.ts'
import type { FencedVersion } from '../../ports/forget-store.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import { tombstoneOfEvent } from '../provenance/source-events.ts'
import { countVersions, settleClaim } from './erase-claims.ts'
import { dissolveCompactions } from './erase-compactions.ts'
import type { ForgetProcess } from './forget-process.ts'

/** Erases every version of every fenced entry, in batches of bounded size. One entry is never split between two batches. */
export async function eraseEntries(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const { forget } = tenant.storage
  let last = ''
  for (let after: ScanPlace | null = null; ; ) {
    await erasure.nextPage()
    const page: Awaited<ReturnType<typeof forget.scan>> = await forget.scan({
      tenantId: tenant.id,
      fences: erasure.fences,
      after,
      limit: limits.forgetScanRowsMax,
    })
    const plain: string[] = []
    for (const { entryId, claimId } of page.versions) {
      if (entryId === last) continue
      last = entryId
      if (claimId === null || !(await settleClaim(erasure, claimId))) plain.push(entryId)
    }
    while (plain.length > 0) {
      const ids = plain.splice(0, (await forget.entriesPerCommit?.()) ?? limits.forgetBatchEntriesMax)
      const erasures = await wholeEntries(erasure, ids)
      const { compactions, revisions } = await dissolveCompactions(erasure, ids)
      const sources = await batchEvents(erasure, erasures)
      const counts = { ...countVersions(erasures), compactions: compactions.length, sourceEvents: sources.length }
      await erasure.step({ erasures, revisions, forgetting: { compactions, sources } }, counts)
      for (const id of compactions) erasure.seen.add(id)
      for (const { sourceEventId } of sources) erasure.seen.add(sourceEventId)
    }
    after = page.next
    if (after === null) return
  }
}

/** The source events that wrote these entries as a batch. They name the ref and the entries, so they are erased with them. */
async function batchEvents(
  { tenant, seen }: ForgetProcess,
  erasures: readonly FencedVersion[],
): Promise<readonly SourceErasure[]> {
  const { provenance } = tenant.storage
  const named = new Set(erasures.flatMap(({ sourceEventId }) => sourceEventId ?? []))
  const events = await Promise.all([...named].map((id) => provenance.sourceEvent(tenant.id, id)))
  const { digest } = await tenant.context()
  return events.flatMap((event) =>
    event === null || batchOf(event) === null || seen.has(event.sourceEventId)
      ? []
      : [
          {
            sourceEventId: event.sourceEventId,
            tombstone: tombstoneOfEvent(digest, event.service ?? '', event.eventId ?? ''),
          },
        ],
  )
}

/** The fenced versions, and the other versions of the same entries: an edit repeats most of the text that it edits. */
async function wholeEntries(
  { tenant, fences }: ForgetProcess,
  ids: readonly string[],
): Promise<readonly FencedVersion[]> {
  const fenced = await tenant.storage.forget.among(tenant.id, fences, ids)
  const known = new Set(fenced.map(({ entryId, version }) => `${entryId} ${version}`))
  const others: FencedVersion[] = []
  for (const entryId of ids) {
    for (const row of await tenant.storage.provenance.entryVersions(tenant.id, entryId)) {
      const { memoryRef, version, tags, readers, origin } = row
      const sourceEventId = ('sourceEventId' in origin ? origin.sourceEventId : undefined) ?? null
      const claimId = row.classification?.claimId ?? null
      if (!known.has(`${entryId} ${version}`))
        others.push({ memoryRef, entryId, version, claimId, sourceEventId, tags: tags.length, readers })
    }
  }
  return [...fenced, ...others]
}
