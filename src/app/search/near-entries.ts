import { isAccessible } from '../../core/entries/access.ts'
import { isExpired, isVisibleAt } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { redactValue } from '../../core/redaction/redaction.ts'
import { conditionsOf } from '../../core/search/filter.ts'
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

/** Versions that are compared with the filter together, nearest first: more at a time while few of them match. */
const comparedTogether = { first: 100, most: 1_000 }

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

/**
 * The nearest versions that the search may return. The store compares them with the filter, nearest first, until enough match:
 * near versions that do not match never hide a match that is further away.
 */
async function visibleRows(tenant: Tenant, search: EntrySearch, near: readonly NearVersion[], now: number) {
  const { memoryRef, position, access, filter } = search
  const order = [...near].sort((a, b) => b.similarity - a.similarity || (a.entryId < b.entryId ? -1 : 1))
  const conditions = conditionsOf(filter, access.trustMin)
  const rows: FoundRow[] = []
  let together = comparedTogether.first
  for (let at = 0, read = 0; at < order.length && read < limits.searchNearExaminedMax; ) {
    const keys = order.slice(at, at + together).map(({ entryId, version }) => ({ memoryRef, entryId, version }))
    const matching = await tenant.storage.versions(tenant.id, keys, conditions)
    const versions = new Map(matching.map((each) => [keyOf(each), each]))
    for (const key of keys) {
      const version = versions.get(keyOf(key))
      if (!version || !isVisibleAt(version, position) || isExpired(version, now)) continue
      if (isAccessible(version, access)) rows.push({ version, terms: indexedTerms(version.content) })
      if (rows.length === limits.searchNearFoundMax) return rows
    }
    at += keys.length
    read += matching.length
    if (matching.length < keys.length / 2) together = Math.min(2 * together, comparedTogether.most)
  }
  return rows
}

function keyOf({ entryId, version }: Pick<EntryVersion, 'entryId' | 'version'>): string {
  return `${entryId}\u0000${version}`
}
