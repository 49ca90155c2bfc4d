import type { Compaction } from '../../core/compaction/compaction.ts'
import type { EntryVersion, Origin } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'

/** The compaction that made an entry. `sourceIds` is set when the compaction has few sources; the compaction itself lists all. */
export type Derivation = {
  readonly compactionId: string
  readonly runId: string
  readonly summariser: string
  readonly sourceCount: number
  readonly sourceIds?: readonly string[]
}

/** The derivation of an entry that a compaction made; null for any other entry. */
export async function derivationOf(tenant: Tenant, origin: Origin): Promise<Derivation | null> {
  if (origin.kind !== 'compaction') return null
  const compaction = await tenant.storage.compactions.get(tenant.id, origin.compactionId)
  if (compaction === null) return null
  const { compactionId, runId, summariser, sourceCount } = compaction
  const facts = { compactionId, runId, summariser, sourceCount }
  if (sourceCount > limits.compactionSourcesShownMax) return facts
  const sources = await tenant.storage.compactions.sources(tenant.id, compactionId)
  return { ...facts, sourceIds: sources.map(({ entryId }) => entryId) }
}

/** The compaction that ended this version; null when another reason did. */
export async function compactedInto(
  tenant: Tenant,
  { entryId, endedPosition, endedReason }: EntryVersion,
): Promise<Compaction | null> {
  if (endedReason !== 'compacted') return null
  const compactions = await tenant.storage.compactions.derivedFrom(tenant.id, [entryId])
  return compactions.find(({ recordedPosition }) => recordedPosition === endedPosition) ?? null
}
