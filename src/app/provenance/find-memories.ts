import { encodeCursor, parseCursor } from '../../core/cursor.ts'
import { isArchiveRef } from '../../core/distillation/archive.ts'
import type { ReadAccess } from '../../core/entries/access.ts'
import { currentView } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import { type Category, defaultClassification } from '../../core/provenance/category.ts'
import { rejectedReason } from '../../core/provenance/plan-claim.ts'
import { asOfView, isEntryId } from '../entries/read.ts'
import { mayRead, readAccess } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { type Memory, toMemories, toMemory } from './memory-view.ts'

/** Reads of memories about people, whatever their origin: ingested from services, put by clients, written by runs. */

/** Which memories to list. */
export type MemoryFilter = {
  readonly subject: string
  readonly agentId?: string | undefined
  readonly categories?: readonly Category[] | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly includeSuperseded?: boolean | undefined
  readonly asOf?: string | undefined
  readonly trustMin?: Trust | undefined
}

export type MemoryPage = { readonly memories: readonly Memory[]; readonly cursor?: string }

/** Lists the memories about a person, newest first, page by page. */
export async function listMemories(tenant: Tenant, filter: MemoryFilter): Promise<MemoryPage> {
  const { limit = limits.memoriesPageDefault } = filter
  const isWanted = toTest(filter)
  const cursor = filter.cursor === undefined ? null : parseCursor(filter.cursor)
  const position = cursor?.position ?? (await positionOf(tenant, filter.asOf))
  const found: EntryVersion[] = []
  const read = pageReader(tenant, filter, position, await readAccess(tenant, filter))
  for (let before: Place | null = cursor; ; ) {
    const page: readonly EntryVersion[] = await read(before)
    found.push(...page.filter(isWanted))
    before = page.at(-1) ?? null
    if (before === null || found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const isMore = found.length > limit && last !== undefined
  return {
    memories: await toMemories(tenant, shown, position),
    ...(isMore ? { cursor: encodeCursor({ ...last, position }) } : {}),
  }
}

function pageReader(
  tenant: Tenant,
  { subject, includeSuperseded }: MemoryFilter,
  position: number,
  access: ReadAccess,
) {
  const memoryRef = refOf(subject)
  const now = tenant.now()
  const limit = limits.pageEntriesDefault
  return async (before: Place | null): Promise<readonly EntryVersion[]> => {
    if (includeSuperseded)
      return tenant.storage.provenance.listAll({ tenantId: tenant.id, memoryRef, position, now, access, before, limit })
    const view = { ...currentView, position, access }
    return (await tenant.storage.list({ tenantId: tenant.id, memoryRef, tag: null, view, now, before, limit })).versions
  }
}

/** The ref that the memories about a person are stored in. */
export function refOf(subject: string): string {
  return `subject:${subject}`
}

function toTest({ agentId, categories: wanted }: Pick<MemoryFilter, 'agentId' | 'categories'>) {
  const isOfCategory = (category: Category) => wanted === undefined || wanted.includes(category)
  return ({ classification, origin }: EntryVersion): boolean =>
    isOfCategory((classification ?? defaultClassification).category) &&
    (agentId === undefined || ('agentId' in origin && origin.agentId === agentId))
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

/** The version of a memory at a position, also when it was superseded or archived then. Null when there was none, or it was deleted. */
export async function findMemoryAt(tenant: Tenant, id: string, position: number): Promise<EntryVersion | null> {
  const versions = isEntryId(id) ? await tenant.storage.provenance.entryVersions(tenant.id, id) : []
  const entry = versions.findLast(({ recordedPosition }) => recordedPosition <= position)
  if (entry === undefined || !isReadable(tenant, entry)) return null
  const hasEnded = entry.endedPosition !== null && entry.endedPosition <= position
  return hasEnded && isDeletion(entry.endedReason) ? null : entry
}

function isReadable(tenant: Tenant, { memoryRef, readers, expiresAt }: EntryVersion): boolean {
  const isHidden = isPrivateRef(memoryRef) || isArchiveRef(memoryRef)
  return !isHidden && mayRead(tenant, readers) && (expiresAt === null || expiresAt > tenant.now())
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
