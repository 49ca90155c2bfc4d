import { isAccessible } from '../../core/entries/access.ts'
import { isExpired, isVisibleAt } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { redactValue } from '../../core/redaction/redaction.ts'
import { matchesFilter } from '../../core/search/filter.ts'
import { indexedTerms } from '../../core/search/indexed-terms.ts'
import type { FoundRow } from '../../ports/search-store.ts'
import type { NearVersion } from '../../ports/vector-store.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import type { EntrySearch } from './find-entries.ts'

export type NearEntries = {
  readonly rows: readonly FoundRow[]
  /** The similarity of a version to the query; undefined when it has no vector. Null when there is nothing to compare with. */
  readonly similarityOf: ((version: Pick<EntryVersion, 'entryId' | 'version'>) => number | undefined) | null
  /** The host has an embedder, and it did not answer. */
  readonly isDegraded: boolean
}

const none: NearEntries = { rows: [], similarityOf: null, isDegraded: false }

/** Versions that are read together, nearest first, to find those that are visible and fit the filter. */
const examinedTogether = 100

/** Semantic search: the entries whose vectors are nearest to the query's, if the host has an embedder. Its failure is reported in `isDegraded`, never thrown. */
export async function nearEntries(tenant: Tenant, search: EntrySearch, now: number): Promise<NearEntries> {
  const { memoryRef, position } = search
  if (tenant.host.embeddings === null || search.isLexical) return none
  const { redaction } = await freshContext(tenant)
  const embedded = await tenant.host.embeddings.embedQuery(
    await redaction.redact(({ scan }) => redactValue(search.query, scan)),
  )
  if (embedded === null) return { ...none, isDegraded: true }
  const { reader } = search.access
  const query = { tenantId: tenant.id, memoryRef, position, ...embedded, rowsMax: limits.searchVectorsMax, reader }
  const near = await tenant.storage.vectors.nearest(query)
  if (near.length === 0) return none
  const similarities = new Map(near.map((each) => [keyOf(each), each.similarity]))
  return {
    rows: await visibleRows(tenant, search, near, now),
    similarityOf: (version) => similarities.get(keyOf(version)),
    isDegraded: false,
  }
}

async function visibleRows(tenant: Tenant, search: EntrySearch, near: readonly NearVersion[], now: number) {
  const { memoryRef, position, access, filter } = search
  const order = [...near]
    .sort((a, b) => b.similarity - a.similarity || (a.entryId < b.entryId ? -1 : 1))
    .slice(0, limits.searchNearExaminedMax)
  const rows: FoundRow[] = []
  for (let at = 0; at < order.length && rows.length < limits.searchNearFoundMax; at += examinedTogether) {
    const keys = order.slice(at, at + examinedTogether).map(({ entryId, version }) => ({ memoryRef, entryId, version }))
    const versions = new Map(
      (await tenant.storage.versions(tenant.id, keys, filter.where)).map((each) => [keyOf(each), each]),
    )
    for (const key of keys) {
      const version = versions.get(keyOf(key))
      const isWanted =
        version &&
        isVisibleAt(version, position) &&
        !isExpired(version, now) &&
        isAccessible(version, access) &&
        matchesFilter(version, filter)
      if (isWanted && rows.length < limits.searchNearFoundMax)
        rows.push({ version, terms: indexedTerms(version.content) })
    }
  }
  return rows
}

function keyOf({ entryId, version }: Pick<EntryVersion, 'entryId' | 'version'>): string {
  return `${entryId}\u0000${version}`
}
