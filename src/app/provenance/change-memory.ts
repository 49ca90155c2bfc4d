import { checkKnownKeys } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { parseDraft } from '../../core/entry.ts'
import { invalid } from '../../core/errors.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { findMemory } from './memories.ts'
import { type MemoryView, toMemoryView } from './memory-view.ts'
import { planEnd } from './withdraw.ts'

/** What people change about a memory. Each change is a new version; what was stays in the history. */

export type MemoryPatch = {
  readonly content: string | null
  readonly importance: number | null
  readonly isArchived: boolean | null
}

export async function patchMemory(
  tenant: Tenant,
  id: string,
  body: Readonly<Record<string, unknown>>,
  options: WriteOptions = {},
): Promise<{ readonly memory: MemoryView; readonly repeated: boolean }> {
  const patch = parsePatch(body)
  const repeated = await decideAndCommit(async () => {
    const entry = await findMemory(tenant, id)
    const change = toVersionChange(tenant.engine, entry, patch, await isBeaten(tenant, entry))
    const call = { operation: 'memory.patch', id, ...patch }
    return (await tenant.commit(change, { ...options, call })).repeated
  })
  return { memory: await toMemoryView(tenant, await findMemory(tenant, id)), repeated }
}

function parsePatch(body: Readonly<Record<string, unknown>>): MemoryPatch {
  checkKnownKeys('body', body, ['content', 'importance', 'importance_score', 'is_archived'])
  const { content = null, is_archived: isArchived = null } = body
  const importance = body.importance ?? body.importance_score ?? null
  if (content === null && importance === null && isArchived === null)
    throw invalid('body', 'must change content, importance or is_archived')
  if (content !== null) parseDraft({ content })
  if (typeof content === 'string' && content.trim() === '') throw invalid('content', 'must not be empty')
  const isImportance = Number.isInteger(importance) && (importance as number) >= 1 && (importance as number) <= 10
  if (importance !== null && !isImportance) throw invalid('importance', 'must be a whole number from 1 to 10')
  if (isArchived !== null && typeof isArchived !== 'boolean') throw invalid('is_archived', 'must be true or false')
  return { content, importance, isArchived } as MemoryPatch
}

/** Whether another content holds the claim by now: then a memory that comes back is a superseded one. */
async function isBeaten(tenant: Tenant, { entryId, classification }: EntryVersion): Promise<boolean> {
  const claimId = classification?.claimId ?? null
  const claim = claimId === null ? null : await tenant.storage.provenance.claim(tenant.id, claimId)
  return claim !== null && claim.winner !== entryId
}

function toVersionChange(
  engine: Engine,
  entry: EntryVersion,
  { content, importance, isArchived }: MemoryPatch,
  isBeaten: boolean,
) {
  const { memoryRef, entryId, version, endedReason } = entry
  const isLive = entry.endedPosition === null
  const key = { memoryRef, entryId }
  const expects = [{ ...key, version: isLive ? version : 0 }]
  if (isArchived === true && content === null && importance === null) {
    if (!isLive && endedReason !== 'archived') throw invalid('id', 'must name a memory that is active')
    const ends = isLive ? [{ ...key, reason: 'archived' }] : []
    return { kind: 'memory.deleted', ends, expects } as const
  }
  if (isArchived === true) throw invalid('is_archived', 'cannot be combined with other changes')
  // A memory that lost its claim can be edited only by winning it.
  if (!isLive && (isArchived !== false || endedReason !== 'archived'))
    throw invalid('id', 'must name a memory that is active')
  const known = entry.classification ?? defaultClassification
  const classification = importance === null ? {} : { classification: { ...known, importance } }
  const text = { content: content ?? entry.content, tags: entry.tags, origin: entry.origin }
  const end = !isLive && isBeaten ? { endsAtOnce: 'superseded' } : {}
  const revision = { ...key, ...text, ...classification, ...end, revives: !isLive, salt: engine.system.newSalt() }
  return { kind: 'memory.revised', revisions: [revision], expects } as const
}

/** Ends a memory. */
export async function deleteMemory(
  tenant: Tenant,
  { memoryRef, entryId }: EntryVersion,
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  return decideAndCommit(async () => {
    const end = await planEnd(tenant, { memoryRef, entryId })
    const call = { operation: 'memory.delete', id: entryId }
    const { repeated } = await tenant.commit({ kind: 'memory.deleted', ...end }, { ...options, call })
    return { repeated }
  })
}
