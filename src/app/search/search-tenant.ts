import { checkCharacters, checkLookup } from '../../core/check.ts'
import { parseCursor } from '../../core/cursor.ts'
import { isArchiveRef } from '../../core/distillation/archive.ts'
import { isAccessible, type ReadAccess } from '../../core/entries/access.ts'
import { isExpired, isVisibleAt } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { checkTrust } from '../../core/entries/trust.ts'
import { statedBy } from '../../core/filter/filter.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import { checkCategory } from '../../core/provenance/category.ts'
import type { SearchFilter } from '../../core/search/filter.ts'
import { encodeTenantSearchCursor, parseTenantSearchCursor, wordsOfQuery } from '../../core/search/tenant-search.ts'
import type { RecentPlace } from '../../ports/storage.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { asOfView, snapshot } from '../entries/read.ts'
import { forReader, readAccess } from '../entries/read-access.ts'
import { createTimeSlice } from '../event-loop.ts'
import { withSpelledSubject } from '../people/stored-spellings.ts'
import { type Memory, toMemories } from '../provenance/memory-view.ts'
import type { Tenant } from '../tenant.ts'
import { findInRef } from './find-in-ref.ts'
import { type FoundThings, findThings, memoriesByIdPrefix } from './find-things.ts'
import { checkQuery } from './search-memory.ts'
import { type CheckedSearch, isMatch, type TenantSearch, type TenantSearchFilter } from './tenant-search-match.ts'

export type TenantSearchResult = FoundThings & {
  /** The last change first. */
  readonly memories?: readonly Memory[]
  /** Continues with older memories. Missing when all were examined. */
  readonly cursor?: string
  readonly position: number
}

/** Finds things of every kind in the whole tenant. Without a query, it lists memories, the last change first. */
export function searchTenant(handle: Tenant, search: TenantSearch): Promise<TenantSearchResult> {
  return withMemorySpan('search_memory', async (note) => {
    const tenant = forReader(handle, search.reader)
    checkQuery(search.query)
    const filter = await withSpelledSubject(tenant, parseFilter(search))
    const { memoryRef } = search
    const ofRef = memoryRef === undefined || search.cursor === undefined ? null : parseCursor(search.cursor)
    const ofTenant =
      memoryRef !== undefined || search.cursor === undefined ? null : parseTenantSearchCursor(search.cursor)
    const view = await asOfView(tenant, { asOf: ofRef?.position ?? ofTenant?.position ?? search.asOf })
    const position = view.position ?? (await snapshot(tenant)).position
    const words = wordsOfQuery(search.query)
    const wanted = { ...search, filter, words, position }
    const find = () =>
      memoryRef === undefined
        ? findMemories(tenant, { ...wanted, after: ofTenant })
        : findInRef(tenant, { ...wanted, memoryRef, after: ofRef })
    const [things, memories] = await Promise.all([
      search.cursor === undefined && words.length > 0 ? findThings(tenant, search.query.trim(), search.kinds) : {},
      search.kinds.includes('memories') ? find() : null,
    ])
    note({ recordCount: memories?.memories.length ?? 0 })
    return { ...things, ...memories, position }
  })
}

function parseFilter({ tag, category, writer, subject, trust }: TenantSearchFilter): SearchFilter {
  if (tag !== undefined) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  if (category !== undefined) checkCategory('category', category)
  if (writer !== undefined) checkLookup('writer', writer, 'actorCharactersMax', limits.actorCharactersMax)
  if (subject !== undefined) checkLookup('subject', subject, 'subjectCharactersMax', limits.subjectCharactersMax)
  if (trust !== undefined) checkTrust('trust', trust)
  return {
    ...(tag === undefined ? {} : { tag }),
    ...(category === undefined ? {} : { categories: [category] }),
    ...(writer === undefined ? {} : { where: statedBy([writer]) }),
    ...(subject === undefined ? {} : { subject }),
  }
}

type MemorySearch = CheckedSearch & { readonly after: RecentPlace | null }

async function findMemories(tenant: Tenant, search: MemorySearch) {
  const { limit = limits.tenantSearchMemoriesDefault, status = 'active', position, words, trust } = search
  const access = await readAccess(tenant, { trustMin: search.trustMin ?? trust })
  const now = tenant.expiryNow()
  const isWanted = (version: EntryVersion) =>
    isShown(version, position, status, access) && !isExpired(version, now) && isMatch(version, search)
  const named = search.after === null ? await memoriesByIdPrefix(tenant, search.query.trim()) : []
  const found = named.filter((version) => isShown(version, position, status, access) && !isExpired(version, now))
  const isNamed = new Set(found.map(({ entryId }) => entryId))
  let after = search.after ?? { recordedPosition: position + 1, entryId: '', version: 0 }
  const slice = createTimeSlice()
  let characters = 0
  const isExhausted = () => found.length >= limit || characters > limits.tenantSearchCharactersMax
  for (let examined = 0; ; ) {
    const asked = Math.min(limits.pageEntriesMax, limits.tenantSearchRowsMax - examined)
    const page = await tenant.storage.recentVersions({ tenantId: tenant.id, after, limit: asked })
    examined += page.length
    const isStated = await statedAmong(tenant, page, search)
    for (const version of page) {
      if (isExhausted()) break
      await slice()
      after = version
      if (words.length > 0) characters += version.content.length
      if (!isNamed.has(version.entryId) && isStated(version) && isWanted(version)) found.push(version)
    }
    const isEnd = page.length < asked && !isExhausted()
    if (!isEnd && !isExhausted() && examined < limits.tenantSearchRowsMax) continue
    const { entryId, version, recordedPosition } = after
    const next = isEnd ? {} : { cursor: encodeTenantSearchCursor({ position, entryId, version, recordedPosition }) }
    return { memories: await toMemories(tenant, await withoutRevived(tenant, found, position), position), ...next }
  }
}

/** Which versions of a page the wanted writer states. The store knows: it is a fact of their claims. */
async function statedAmong(tenant: Tenant, page: readonly EntryVersion[], { filter, position }: MemorySearch) {
  if (filter.where === undefined) return () => true
  const keyOf = ({ entryId, version }: EntryVersion) => `${version} ${entryId}`
  const stated = await tenant.storage.versions(tenant.id, page, filter.where, position)
  const keys = new Set(stated.map(keyOf))
  return (version: EntryVersion) => keys.has(keyOf(version))
}

function isShown(version: EntryVersion, position: number, status: string, access: ReadAccess): boolean {
  const { memoryRef, endedReason, recordedPosition } = version
  if (isPrivateRef(memoryRef) || isArchiveRef(memoryRef) || !isAccessible(version, access)) return false
  if (isVisibleAt(version, position)) return status !== 'superseded'
  const isKept = endedReason === 'superseded' || endedReason === 'archived'
  return status !== 'active' && isKept && recordedPosition <= position
}

/** A superseded version whose entry has a later one is history, not a memory of its own. */
async function withoutRevived(tenant: Tenant, found: readonly EntryVersion[], position: number) {
  const ended = found.filter((version) => !isVisibleAt(version, position)).map(({ entryId }) => entryId)
  if (ended.length === 0) return found
  const newest = await tenant.storage.provenance.newestVersions(tenant.id, ended)
  const versionOf = new Map(
    newest.flatMap(({ entryId, version, recordedPosition }) =>
      recordedPosition <= position ? [[entryId, version] as const] : [],
    ),
  )
  return found.filter(({ entryId, version }) => (versionOf.get(entryId) ?? version) === version)
}
