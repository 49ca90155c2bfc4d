import { writerOf } from '../../core/consolidation/consolidation-item.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Tenant } from '../tenant.ts'

/** Outputs of outputs are followed this far. */
const depthMax = 10

/**
 * The writer of a text. An output has the writer of its sources, if all of them have the same one; otherwise it is a writer of its own,
 * whose texts are compared with no others where the writer matters.
 */
export async function findWriter(tenant: Tenant, entry: EntryVersion, depth = 0): Promise<string> {
  const { origin } = entry
  if (origin.kind !== 'compaction' || depth === depthMax) return writerOf(entry)
  const sources = await tenant.storage.compactions.sources(tenant.id, origin.compactionId)
  const ids = sources.map(({ entryId }) => entryId)
  const versions = ids.length === 0 ? [] : await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const writers = new Set<string>()
  for (const version of versions) writers.add(await findWriter(tenant, version, depth + 1))
  const [only] = writers
  return only !== undefined && writers.size === 1 ? only : writerOf(entry)
}
