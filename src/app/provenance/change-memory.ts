import type { Outcome } from '../../core/commit/batch.ts'
import { checkMayBeIncluded, isAlwaysIncluded, markTags } from '../../core/entries/always-include.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import type { Change, CommitOptions, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import { commitReaders } from '../entries/change-readers.ts'
import { originOfContent } from '../entries/content-origin.ts'
import { mayRead } from '../entries/read-access.ts'
import { refuseErasedRetry } from '../entries/repeated-call.ts'
import { eraseMemory } from '../forget/erase-memory.ts'
import type { Tenant } from '../tenant.ts'
import { capacityOfMarks } from './always-include.ts'
import { confirmedBy, type Edit, type Editor, planEdit } from './edit-memory.ts'
import { findMemory } from './find-memories.ts'
import { type Memory, toMemory } from './memory-view.ts'
import { planEntryEnd } from './plan-entry-end.ts'

/** Changes of a memory by a person. Earlier versions stay in the history. */

/** The members of a memory to change. A member that is left out keeps its value. */
export type MemoryPatch = Partial<Edit> & {
  readonly isArchived?: boolean
  /** Who may read it, in its whole history; null for everyone. It must be the only change. */
  readonly readers?: Readers
}

type Patched = { readonly entryId: string; readonly repeated: boolean }

/** Changes a memory. A new content is an assertion of the editor: the result is the memory with that content, whether it won or not. */
export function patchMemory(
  tenant: Tenant,
  id: string,
  patch: MemoryPatch,
  editor: Editor,
  options: WriteOptions = {},
): Promise<PatchedMemory> {
  return withMemorySpan('update_memory', async (note) => {
    const patched = await decidePatch(tenant, id, patch, editor, options)
    note({ recordCount: 1, recordId: patched.memory.id })
    return patched
  })
}

type PatchedMemory = { readonly memory: Memory; readonly repeated: boolean }

async function decidePatch(
  tenant: Tenant,
  id: string,
  patch: MemoryPatch,
  editor: Editor,
  options: WriteOptions,
): Promise<PatchedMemory> {
  const write = { ...options, actor: editor.actor, call: { operation: 'memory.patch', id, ...patch } }
  const { entryId, repeated } = await decideAndCommit(
    async () => commitPatch(tenant, await findOrRefuse(tenant, id, write), patch, editor, write),
    whileForgetting,
  )
  // Read without the reader of the caller: a caller that removed itself sees its change once.
  const after = patch.readers === undefined ? tenant : tenant.withReader(null)
  return { memory: await toMemory(tenant, await findOrRefuse(after, entryId, write)), repeated }
}

/** Refuses the retry of a call whose memory was deleted since with `content_erased` instead of `not_found`. */
async function findOrRefuse(tenant: Tenant, id: string, write: CommitOptions): Promise<EntryVersion> {
  return findMemory(tenant, id).catch(async (error: unknown) => {
    // Not after another error: the first call is this one if the database was lost behind its commit.
    if (isColophonError(error, 'not_found')) await refuseErasedRetry(tenant, write)
    throw error
  })
}

/** While a forget erases another content of the same claim, the commit is refused. The edit then reads and decides again. */
const whileForgetting = { mayRetry: (error: unknown) => isColophonError(error, 'source_event_erased') }

async function commitPatch(
  tenant: Tenant,
  entry: EntryVersion,
  patch: MemoryPatch,
  editor: Editor,
  write: CommitOptions,
): Promise<Patched> {
  const { content, readers } = patch
  if (readers !== undefined) {
    if (Object.keys(patch).length > 1) throw invalid('readers', 'cannot be combined with other changes')
    const { actor, mayPin: mayWiden } = editor
    const { repeated } = await commitReaders(tenant, entry, readers, { actor, mayWiden }, write)
    return { entryId: entry.entryId, repeated }
  }
  if (patch.alwaysInclude === true) checkMayBeIncluded('always_include', patch.trust ?? entry.trust)
  const problem = problemWith(entry, patch)
  if (problem !== null) {
    // The first call with this idempotency key may have ended the memory that it names.
    const first = await tenant.findOutcome(write)
    if (first === null || content === undefined) throw problem
    return { entryId: await entryOfEdit(tenant, entry, content, first), repeated: true }
  }
  if (content === undefined || (isUnchanged(entry, content) && patch.trust === undefined)) {
    const origin = await originOfContent(tenant, entry)
    const change = toVersionChange(tenant.engine, { ...entry, origin }, patch, await isBeaten(tenant, entry))
    const committed = await tenant.commit(await withinCapacity(tenant, entry, patch, change, write), write)
    return { entryId: entry.entryId, repeated: committed.repeated }
  }
  const { change, entryId } = await planEdit(tenant, entry, { ...patch, content }, editor)
  const { repeated, outcome } = await tenant.commit(await withinCapacity(tenant, entry, patch, change, write), write)
  return { entryId: repeated ? await entryOfEdit(tenant, entry, content, outcome) : entryId, repeated }
}

/** The change with the limit of marked memories, if there is one more afterwards. */
async function withinCapacity(
  tenant: Tenant,
  entry: EntryVersion,
  { alwaysInclude }: MemoryPatch,
  change: Change,
  write: CommitOptions,
): Promise<Change> {
  const isRestored = entry.endedPosition !== null && isAlwaysIncluded(entry)
  if (alwaysInclude === false || !(isRestored || (alwaysInclude === true && !isAlwaysIncluded(entry)))) return change
  try {
    return { ...change, capacities: await capacityOfMarks(tenant, entry.memoryRef, change) }
  } catch (error) {
    // A retry of the call that took the last place.
    if ((await tenant.findOutcome(write)) === null) throw error
    return change
  }
}

/** Whether an edit with the same content changes nothing: only if no claim counts it as one more assertion. */
function isUnchanged({ content, classification }: EntryVersion, next: string): boolean {
  return content === next && (classification?.claimId ?? null) === null
}

/** The memory that the first call created or revised; if it only confirmed an existing content, the memory of that content. */
async function entryOfEdit(tenant: Tenant, entry: EntryVersion, content: string, first: Outcome): Promise<string> {
  const [written] = first.entries
  return written?.entryId ?? (await confirmedBy(tenant, entry, content)) ?? entry.entryId
}

/** Whether another content is the winner of the claim now: then a restored memory is superseded. */
async function isBeaten(tenant: Tenant, { entryId, classification }: EntryVersion): Promise<boolean> {
  const claimId = classification?.claimId ?? null
  const claim = claimId === null ? null : await tenant.storage.provenance.claim(tenant.id, claimId)
  return claim !== null && claim.winner !== entryId
}

/** Why the change cannot be made; null when it can. */
function problemWith(
  entry: EntryVersion,
  { content, importance, reason, trust, isArchived, alwaysInclude }: MemoryPatch,
): ColophonError | null {
  const isLive = entry.endedPosition === null
  const wasArchived = entry.endedReason === 'archived'
  if (reason !== undefined && content === undefined) return invalid('reason', 'goes with a new content')
  if (trust !== undefined && content === undefined) return invalid('trust', 'goes with a new content')
  if (isArchived === true && (content ?? importance ?? alwaysInclude) !== undefined)
    return invalid('isArchived', 'cannot be combined with other changes')
  const mayChange = isLive || (wasArchived && isArchived !== undefined)
  // A superseded memory cannot be changed: an edit of the winner, or a pin, decides the claim.
  if (!mayChange) return invalid('id', 'must name a memory that is active')
  if (!isLive && content !== undefined && (entry.classification?.claimId ?? null) !== null)
    return invalid('isArchived', 'cannot be combined with a new content: restore the memory first')
  return null
}

/** A change of the importance or the mark, or archiving and restoring. The content keeps its origin. */
function toVersionChange(
  engine: Engine,
  entry: EntryVersion,
  { importance, isArchived, alwaysInclude = isAlwaysIncluded(entry) }: MemoryPatch,
  isBeaten: boolean,
): Change {
  const { memoryRef, entryId, version } = entry
  const isLive = entry.endedPosition === null
  const key = { memoryRef, entryId }
  const expects = [{ ...key, version: isLive ? version : 0 }]
  if (isArchived === true) {
    const ends = isLive ? [{ ...key, reason: 'archived' }] : []
    return { kind: 'memory.deleted', ends, expects }
  }
  const known = entry.classification ?? defaultClassification
  const classification = importance === undefined ? {} : { classification: { ...known, importance } }
  const text = { content: entry.content, tags: markTags(entry.tags, alwaysInclude), origin: entry.origin }
  const end = !isLive && isBeaten ? { endsAtOnce: 'superseded' } : {}
  const revision = { ...key, ...text, ...classification, ...end, revives: !isLive, salt: engine.system.newSalt() }
  return { kind: 'memory.revised', revisions: [revision], expects }
}

/** Deletes a memory. With `isErased` it is erased from earlier snapshots too. */
export function deleteMemory(
  tenant: Tenant,
  id: string,
  { isErased = false }: { readonly isErased?: boolean | undefined } = {},
  options: WriteOptions = {},
): Promise<Deletion> {
  return withMemorySpan('delete_memory', async (note) => {
    const deletion = await commitDeletion(tenant, id, isErased, options)
    note({ recordCount: 1, recordId: id })
    return deletion
  })
}

type Deletion = { readonly repeated: boolean }

async function commitDeletion(tenant: Tenant, id: string, isErased: boolean, options: WriteOptions): Promise<Deletion> {
  // A retry with an idempotency key is not looked up below.
  const [entry] = tenant.reader === null ? [] : await tenant.storage.provenance.newestVersions(tenant.id, [id])
  if (entry !== undefined && !mayRead(tenant, entry.readers))
    throw new ColophonError('not_found', 'There is no such memory.')
  // A retry finds the memory deleted. Its idempotency key shows that it is a retry.
  const mayRepeat = options.idempotencyKey !== undefined
  if (isErased) {
    if (!mayRepeat) await findMemory(tenant, id, { includeDeleted: true })
    return eraseMemory(tenant, id, options)
  }
  const { memoryRef, entryId, endedReason } = await findMemory(tenant, id, { includeDeleted: mayRepeat })
  const { repeated } = await decideAndCommit(async () => {
    const end = await planEntryEnd(tenant, { memoryRef, entryId })
    const call = { operation: 'memory.delete', id: entryId }
    return tenant.commit({ kind: 'memory.deleted', ...end }, { ...options, call })
  })
  if (endedReason === 'deleted' && !repeated) throw new ColophonError('not_found', 'There is no such memory.')
  return { repeated }
}
