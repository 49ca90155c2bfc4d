import { writerOf } from '../../core/consolidation/consolidation-item.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { originOfContent } from '../entries/content-origin.ts'
import type { Tenant } from '../tenant.ts'

/** Outputs of outputs are followed this far. */
const depthMax = 10

/**
 * The writer of a text. An output has the writer of its sources, if all of them have the same one; otherwise it is a writer of its own,
 * whose texts are compared with no others where the writer matters.
 */
export async function findWriter(
  tenant: Tenant,
  entry: EntryVersion,
  of: (entry: EntryVersion) => string | Promise<string> = writerOf,
  depth = 0,
): Promise<string> {
  const { origin } = entry
  if (origin.kind !== 'compaction' || depth === depthMax) return of(entry)
  const sources = await tenant.storage.compactions.sources(tenant.id, origin.compactionId)
  const ids = sources.map(({ entryId }) => entryId)
  const versions = ids.length === 0 ? [] : await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const writers = new Set<string>()
  for (const version of versions) writers.add(await findWriter(tenant, version, of, depth + 1))
  const [only] = writers
  return only !== undefined && writers.size === 1 ? only : writerOf(entry)
}

/** The writer by the key that the audit record names, if the entry itself names none. It is a read for each entry. */
export function findAuthor(tenant: Tenant, entry: EntryVersion): Promise<string> {
  return findWriter(tenant, entry, async (source) => writerOf({ origin: await originOfContent(tenant, source) }))
}
