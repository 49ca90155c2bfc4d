import { toInstant } from '../../core/check.ts'
import type { Compaction } from '../../core/compaction/compaction.ts'
import {
  formatIndex,
  type IndexEntry,
  memoryIndexPath,
  memoryIndexType,
  parseIndex,
  withArchive,
} from '../../core/distillation/memory-index.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { defaultTrust, trustAfterReading } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import { defaultWorkspace } from '../../core/workspace/workspace-file.ts'
import type { Change } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { findCurrent, planPut } from '../workspace/files.ts'

/** The change of the index file that belongs to a distillation, and its next version. Null when the index stays as it is. */
export type IndexChange = { readonly change: Change; readonly version: number } | null

/** Plans the index with this archive as the newest of its ref; null drops the ref. */
export async function planIndex(
  tenant: Tenant,
  memoryRef: string,
  entry: IndexEntry | null,
  actor: string,
): Promise<IndexChange> {
  const read = await findCurrent(tenant, defaultWorkspace, memoryIndexPath)
  const index = parseIndex(read?.content ?? null)
  if (entry === null && index[memoryRef] === undefined) return null
  const content = formatIndex(withArchive(index, memoryRef, entry, tenant.expiryNow()))
  const file = { path: memoryIndexPath, content, contentType: memoryIndexType }
  // After the version that was read, and not one that another distillation stored since: that would drop its archive.
  // A part of it is what was read.
  const trust = trustAfterReading(defaultTrust, read === null ? [] : [read.trust])
  return planPut(tenant, defaultWorkspace, file, { read }, { actor, trust })
}

/** What the index says of an archive. */
export function toIndexEntry(
  archiveId: string,
  archiveChecksum: string,
  entryCount: number,
  now: number,
  expiresAt: number,
): IndexEntry {
  return { archiveId, archiveChecksum, entryCount, updatedAt: toInstant(now), expiresAt: toInstant(expiresAt) }
}

/** The newest archive of a ref that everyone may read, without that of one distillation; null when there is none. */
export async function previousArchive(tenant: Tenant, without: Compaction): Promise<IndexEntry | null> {
  const { memoryRef } = without
  const limit = limits.pageEntriesMax
  const made = await tenant.storage.compactions.list({ tenantId: tenant.id, memoryRef, after: null, limit })
  for (const { compactionId, checksum, outputId, sourceCount, at, status } of made) {
    if (checksum === null || status === 'undone' || compactionId === without.compactionId) continue
    const [archive] = await tenant.storage.provenance.newestVersions(tenant.id, [outputId])
    if (archive === undefined || !isIndexed(archive, tenant.expiryNow()) || archive.expiresAt === null) continue
    return toIndexEntry(outputId, checksum, sourceCount, at, archive.expiresAt)
  }
  return null
}

/** The index can be read by everyone, so it names only archives that everyone may read. */
function isIndexed(archive: EntryVersion, now: number): boolean {
  return archive.endedPosition === null && archive.readers === null && !isExpired(archive, now)
}
