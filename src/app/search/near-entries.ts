import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { redactValue } from '../../core/redaction/redaction.ts'
import { conditionsOf } from '../../core/search/filter.ts'
import { indexedTerms } from '../../core/search/indexed-terms.ts'
import type { Similarities } from '../../core/search/similarity.ts'
import type { FoundRow, NeighbourVersion } from '../../ports/search-store.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import type { EntrySearch } from './find-entries.ts'

export type NearEntries = {
  readonly rows: readonly FoundRow[]
  /** The similarity of each version to the query, by the id of its entry, as far as they have vectors. Null when there is nothing to compare with. */
  readonly similaritiesOf: ((versions: readonly NeighbourVersion[]) => Promise<Similarities>) | null
  /** The host has an embedder, and it did not answer. */
  readonly isDegraded: boolean
}

const none: NearEntries = { rows: [], similaritiesOf: null, isDegraded: false }

/** Semantic search: the entries whose vectors are nearest to the query's, if the host has an embedder. Its failure is reported in `isDegraded`, never thrown. */
export async function nearEntries(tenant: Tenant, search: EntrySearch, now: number): Promise<NearEntries> {
  const { memoryRef, position, access, filter } = search
  if (tenant.host.embeddings === null || search.isLexical) return none
  const { redaction } = await freshContext(tenant)
  const embedded = await tenant.host.embeddings.embedQuery(
    await redaction.redact(({ scan }) => redactValue(search.query, scan)),
  )
  if (embedded === null) return { ...none, isDegraded: true }
  const { vectors } = tenant.storage
  const query = { tenantId: tenant.id, memoryRef, ...embedded }
  const where = conditionsOf(filter, access.trustMin)
  const near = await vectors.nearest({ ...query, position, now, access, where, limit: limits.searchNearFoundMax })
  if (near.length === 0) return none
  const known = new Map(near.map(({ version, similarity }) => [keyOf(version), similarity]))
  return {
    rows: near.map(({ version }) => ({ version, terms: indexedTerms(version.content) })),
    async similaritiesOf(versions) {
      const places = versions.filter((version) => !known.has(keyOf(version)))
      const found = await vectors.similarities({ ...query, places })
      places.forEach((version, at) => {
        const similarity = found[at] ?? null
        if (similarity !== null) known.set(keyOf(version), similarity)
      })
      return new Map(
        versions.flatMap((version): [string, number][] => {
          const similarity = known.get(keyOf(version))
          return similarity === undefined ? [] : [[version.entryId, similarity]]
        }),
      )
    },
    isDegraded: false,
  }
}

function keyOf({ entryId, version }: Pick<EntryVersion, 'entryId' | 'version'>): string {
  return `${entryId}\u0000${version}`
}
