import { checkLookup } from '../../core/check.ts'
import { encodeCursor, parseCursor } from '../../core/cursor.ts'
import { isArchiveRef } from '../../core/distillation/archive.ts'
import { currentView, isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { ColophonError } from '../../core/errors.ts'
import { allOf, type EntryFilter, statedBy } from '../../core/filter/filter.ts'
import type { FilterForm } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import type { Category } from '../../core/provenance/category.ts'
import { rejectedReason } from '../../core/provenance/plan-claim.ts'
import { type FilteredPage, listMatching, parseReadFilter } from '../entries/list-matching.ts'
import { asOfView, isEntryId } from '../entries/read.ts'
import { mayRead, readAccess } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { type Memory, toMemories, toMemory } from './memory-view.ts'

/** Reads of memories about people, whatever their origin: ingested from services, put by clients, written by runs. */

/** Which memories to list. */
export type MemoryFilter = {
  readonly subject: string
  readonly agentId?: string | undefined
  /** The service that states it, as `provenance` shows it. */
  readonly sourceService?: string | undefined
  readonly categories?: readonly Category[] | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly includeSuperseded?: boolean | undefined
  readonly asOf?: string | undefined
  readonly trustMin?: Trust | undefined
  readonly filter?: FilterForm | undefined
}

export type MemoryPage = { readonly memories: readonly Memory[]; readonly cursor?: string }

/** Lists the memories about a person, newest first, page by page. */
export async function listMemories(tenant: Tenant, query: MemoryFilter): Promise<MemoryPage> {
  if (query.sourceService !== undefined)
    checkLookup('source_service', query.sourceService, 'actorCharactersMax', limits.actorCharactersMax)
  const { subject, limit = limits.memoriesPageDefault, includeSuperseded: includesEnded = false } = query
  const filter = allOf(parseReadFilter(tenant, query.filter), ...conditionsOf(query))
  const cursor = query.cursor === undefined ? null : parseCursor(query.cursor)
  const position = cursor?.position ?? (await positionOf(tenant, query.asOf))
  const view = { ...currentView, position, access: await readAccess(tenant, query) }
  const asked = { memoryRef: refOf(subject), view, before: cursor, limit, includesEnded }
  const { versions, next } = await listVersions(tenant, { ...asked, filter })
  return {
    memories: await toMemories(tenant, versions, position),
    ...(next === null ? {} : { cursor: encodeCursor({ ...next, position }) }),
  }
}

type VersionsQuery = Omit<Parameters<typeof listMatching>[1], 'filter'>

/** One page of a ref, newest first, with or without conditions. */
export function listVersions(
  tenant: Tenant,
  { filter, ...asked }: VersionsQuery & { readonly filter: EntryFilter | undefined },
): Promise<FilteredPage> {
  return filter === undefined ? listAll(tenant, asked) : listMatching(tenant, { ...asked, filter })
}

/** One page without conditions. */
async function listAll(tenant: Tenant, asked: VersionsQuery): Promise<FilteredPage> {
  const { memoryRef, view, before, limit, includesEnded } = asked
  const { position, access } = view
  const page = { tenantId: tenant.id, memoryRef, now: tenant.expiryNow(), before, limit: limit + 1 }
  const found = includesEnded
    ? await tenant.storage.provenance.listAll({ ...page, position, access })
    : (await tenant.storage.list({ ...page, tag: null, view })).versions
  return { versions: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : null }
}

/** The conditions that a request can name without a filter. */
function conditionsOf({
  agentId,
  categories,
  sourceService,
}: Pick<MemoryFilter, 'agentId' | 'categories' | 'sourceService'>): EntryFilter[] {
  return [
    ...(sourceService === undefined ? [] : [statedBy([sourceService])]),
    ...(categories === undefined ? [] : [{ kind: 'text', field: 'category', in: categories } as const]),
    ...(agentId === undefined ? [] : [{ kind: 'text', field: 'agent', in: [agentId] } as const]),
  ]
}

/** The ref that the memories about a person are stored in. */
export function refOf(subject: string): string {
  return `subject:${subject}`
}

/** The position that `asOf` names: a position, or an instant; without it, the current position. One that is no longer retained is refused. */
export async function positionOf(tenant: Tenant, asOf: string | undefined): Promise<number> {
  const { position } = await asOfView(tenant, {
    asOf: asOf !== undefined && /^\d{1,15}$/.test(asOf) ? Number(asOf) : asOf,
  })
  return position ?? (await tenant.storage.clock(tenant.id))?.position ?? 0
}

/**
 * The newest version of a memory, also when it was superseded or archived. A deleted one is refused, unless `includeDeleted` is set. So
 * is one that the reader cannot see.
 */
export async function findMemory(
  tenant: Tenant,
  id: string,
  { includeDeleted = false }: { readonly includeDeleted?: boolean } = {},
): Promise<EntryVersion> {
  const [entry] = isEntryId(id) ? await tenant.storage.provenance.newestVersions(tenant.id, [id]) : []
  if (entry === undefined || !isReadable(tenant, entry) || (isDeletion(entry.endedReason) && !includeDeleted))
    throw noSuchMemory()
  return entry
}

/** The memories of these ids that `findMemory` finds. */
export async function findReadable(tenant: Tenant, ids: readonly string[]): Promise<readonly EntryVersion[]> {
  const entries = ids.length === 0 ? [] : await tenant.storage.provenance.newestVersions(tenant.id, [...new Set(ids)])
  return entries.filter((entry) => isReadable(tenant, entry) && !isDeletion(entry.endedReason))
}

/** The version of a memory at a position, also when it was superseded or archived then. Null when there was none, or it was deleted. */
export async function findMemoryAt(tenant: Tenant, id: string, position: number): Promise<EntryVersion | null> {
  const versions = isEntryId(id) ? await tenant.storage.provenance.entryVersions(tenant.id, id) : []
  const entry = versions.findLast(({ recordedPosition }) => recordedPosition <= position)
  if (entry === undefined || !isReadable(tenant, entry)) return null
  const hasEnded = entry.endedPosition !== null && entry.endedPosition <= position
  return hasEnded && isDeletion(entry.endedReason) ? null : entry
}

function isReadable(tenant: Tenant, entry: EntryVersion): boolean {
  const isHidden = isPrivateRef(entry.memoryRef) || isArchiveRef(entry.memoryRef)
  return !isHidden && mayRead(tenant, entry.readers) && !isExpired(entry, tenant.expiryNow())
}

function isDeletion(endedReason: string | null): boolean {
  return endedReason === 'deleted' || endedReason === rejectedReason
}

function noSuchMemory(): ColophonError {
  return new ColophonError('not_found', 'There is no such memory.')
}

/** Reads one memory by its id: as it is now, or as it was at the position or instant that `asOf` names. */
export async function getMemory(tenant: Tenant, id: string, asOf?: string): Promise<Memory> {
  if (asOf === undefined) return toMemory(tenant, await findMemory(tenant, id))
  const position = await positionOf(tenant, asOf)
  const entry = await findMemoryAt(tenant, id, position)
  const [memory] = entry === null ? [] : await toMemories(tenant, [entry], position)
  if (memory === undefined) throw noSuchMemory()
  return memory
}
