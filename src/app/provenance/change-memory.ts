import type { EntryVersion } from '../../core/entry.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import { eraseMemory } from '../forget/memory.ts'
import { refuseErasedRetry } from '../repeated-call.ts'
import type { Tenant } from '../tenant.ts'
import { findMemory } from './memories.ts'
import { type Memory, toMemory } from './memory.ts'
import { planEnd } from './withdraw.ts'

/** What people change about a memory. Each change is a new version; what was stays in the history. */

export type MemoryPatch = {
  readonly content?: string
  /** 1 to 10. */
  readonly importance?: number
  readonly isArchived?: boolean
}

export async function patchMemory(
  tenant: Tenant,
  id: string,
  patch: MemoryPatch,
  options: WriteOptions = {},
): Promise<{ readonly memory: Memory; readonly repeated: boolean }> {
  const write = { ...options, call: { operation: 'memory.patch', id, ...patch } }
  const repeated = await decideAndCommit(async () => {
    const entry = await findMemory(tenant, id).catch(async (error: unknown) => {
      await refuseErasedRetry(tenant, write)
      throw error
    })
    const change = toVersionChange(tenant.engine, entry, patch, await isBeaten(tenant, entry))
    return (await tenant.commit(change, write)).repeated
  })
  return { memory: await toMemory(tenant, await findMemory(tenant, id)), repeated }
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
  if (isArchived === true && content === undefined && importance === undefined) {
    if (!isLive && endedReason !== 'archived') throw invalid('id', 'must name a memory that is active')
    const ends = isLive ? [{ ...key, reason: 'archived' }] : []
    return { kind: 'memory.deleted', ends, expects } as const
  }
  if (isArchived === true) throw invalid('isArchived', 'cannot be combined with other changes')
  // A memory that lost its claim can be edited only by winning it.
  if (!isLive && (isArchived !== false || endedReason !== 'archived'))
    throw invalid('id', 'must name a memory that is active')
  const known = entry.classification ?? defaultClassification
  const classification = importance === undefined ? {} : { classification: { ...known, importance } }
  const text = { content: content ?? entry.content, tags: entry.tags, origin: entry.origin }
  const end = !isLive && isBeaten ? { endsAtOnce: 'superseded' } : {}
  const revision = { ...key, ...text, ...classification, ...end, revives: !isLive, salt: engine.system.newSalt() }
  return { kind: 'memory.revised', revisions: [revision], expects } as const
}

/** Ends a memory; `isErased` deletes it for good, also from earlier snapshots. */
export async function deleteMemory(
  tenant: Tenant,
  id: string,
  { isErased = false }: { readonly isErased?: boolean | undefined } = {},
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  // A repeated call finds the memory deleted; its idempotency key shows that it is the same call.
  const mayRepeat = options.idempotencyKey !== undefined
  if (isErased) {
    if (!mayRepeat) await findMemory(tenant, id, { isDeletedToo: true })
    return eraseMemory(tenant, id, options)
  }
  const { memoryRef, entryId, endedReason } = await findMemory(tenant, id, { isDeletedToo: mayRepeat })
  const { repeated } = await decideAndCommit(async () => {
    const end = await planEnd(tenant, { memoryRef, entryId })
    const call = { operation: 'memory.delete', id: entryId }
    return tenant.commit({ kind: 'memory.deleted', ...end }, { ...options, call })
  })
  if (endedReason === 'deleted' && !repeated) throw new ColophonError('not_found', 'There is no such memory.')
  return { repeated }
}
