import type { Batch } from '../../core/commit/batch.ts'
import type { Capacity } from '../../core/commit/parts/capacities.ts'
import type { ReadAccess } from '../../core/entries/access.ts'
import {
  alwaysIncludeTag,
  checkIncludedCount,
  includedAccess,
  isAlwaysIncluded,
} from '../../core/entries/always-include.ts'
import { currentView, type ReadView } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import { matchesFilter, type SearchFilter } from '../../core/search/filter.ts'
import type { Tenant } from '../tenant.ts'

type IncludedQuery = {
  readonly memoryRef: string
  readonly position: number
  readonly access: ReadAccess
  readonly filter: SearchFilter
}

/** The memories of a ref that are in every prompt, as of a position: the most important first, then the newest. */
export async function listAlwaysIncluded(tenant: Tenant, query: IncludedQuery): Promise<EntryVersion[]> {
  const { memoryRef, position, filter } = query
  const marked = await listMarked(tenant, memoryRef, { position, own: [], access: includedAccess(query.access) })
  const found =
    marked.length === 0 || filter.where === undefined
      ? marked
      : await tenant.storage.versions(tenant.id, marked, filter.where, position)
  const kept = new Set(found.map(({ entryId }) => entryId))
  return marked
    .filter((entry) => kept.has(entry.entryId) && matchesFilter(entry, filter))
    .sort((a, b) => importanceOf(b) - importanceOf(a))
}

function importanceOf({ classification }: EntryVersion): number {
  return (classification ?? defaultClassification).importance
}

async function listMarked(tenant: Tenant, memoryRef: string, view: ReadView): Promise<readonly EntryVersion[]> {
  const query = { tenantId: tenant.id, memoryRef, tag: alwaysIncludeTag, view, now: tenant.expiryNow(), before: null }
  return (await tenant.storage.list({ ...query, limit: limits.alwaysIncludeMax })).versions
}

/** How many more memories of a ref can be marked. */
export async function roomForMarks(tenant: Tenant, memoryRef: string): Promise<number> {
  return limits.alwaysIncludeMax - (await listMarked(tenant, memoryRef, currentView)).length
}

type Marking = Partial<Pick<Batch, 'puts' | 'revisions' | 'ends'>>

/**
 * The limit for a change that marks memories of a ref. It is counted here for the error that the client gets, and again under the lock.
 */
export async function capacityOfMarks(tenant: Tenant, memoryRef: string, change: Marking): Promise<Capacity[]> {
  const { capacity, excess } = await countMarks(tenant, memoryRef, change)
  checkIncludedCount('always_include', limits.alwaysIncludeMax + excess)
  return [capacity]
}

/**
 * The limit as above, and by how many memories a change would exceed it. A marked memory that the change ends makes room: the next statement of a
 * service about the same thing.
 */
export async function countMarks(
  tenant: Tenant,
  memoryRef: string,
  change: Marking,
): Promise<{ readonly capacity: Capacity; readonly excess: number }> {
  const { puts = [], revisions = [], ends = [] } = change
  const isCurrent = (entry: { readonly tags: readonly string[]; readonly endsAtOnce?: string }) =>
    isAlwaysIncluded(entry) && entry.endsAtOnce === undefined
  const marked = await listMarked(tenant, memoryRef, currentView)
  const markedIds = new Set(marked.map(({ entryId }) => entryId))
  const revised = revisions.filter(({ revives }) => !revives)
  const isNew = ({ entryId }: { readonly entryId: string }) => !markedIds.has(entryId)
  const lost = [...ends, ...revised.filter((entry) => !isCurrent(entry))].filter((entry) => !isNew(entry)).length
  const gained = revised.filter((entry) => isNew(entry) && isCurrent(entry)).length - lost
  const added = [...puts, ...revisions.filter(({ revives }) => revives)].filter(isCurrent).length
  const of = { memoryRef, tag: alwaysIncludeTag, now: tenant.expiryNow() }
  const max = limits.alwaysIncludeMax
  const excess = gained + added > 0 ? Math.max(0, marked.length + gained + added - max) : 0
  return { capacity: { of, max, gained }, excess }
}
