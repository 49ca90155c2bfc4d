import { keyOfActor } from '../../core/access/actor.ts'
import { checkCount, checkKnownKeys } from '../../core/check.ts'
import type { Batch, Revision } from '../../core/commit/batch.ts'
import { isArchiveRef } from '../../core/distillation/archive.ts'
import { type EntryKey, type MemoryEntry, type Origin, parseDraft, toMemoryEntry } from '../../core/entries/entry.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { defaultTrust, type Trust } from '../../core/entries/trust.ts'
import { ColophonError } from '../../core/errors.ts'
import { isMemoryRef, isPrivateRef, refuseHostMemoryRef } from '../../core/names.ts'
import { hasOtherSpellings } from '../../core/people/spelling.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { type CommitOptions, type WriteOptions, writeOptionKeys } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { spelledRefs } from '../people/stored-spellings.ts'
import { canHaveClaims, endWithoutClaim, planEntryEnd } from '../provenance/plan-entry-end.ts'
import type { Tenant } from '../tenant.ts'
import { isEntryId } from './read.ts'
import { mayRead } from './read-access.ts'
import { repeatedVersions } from './repeated-call.ts'

/** Options of `revise` and `delete`. */
export type ChangeOptions = WriteOptions & {
  /** The version that the caller has read. If the entry has a newer one, the call is refused with `version_conflict`. */
  readonly expects?: number
}

const changeOptionKeys = [...writeOptionKeys, 'expects'] as const

/** Ends an entry. `deleted` is true if and only if it existed. Running runs still see it in their snapshot; later runs do not. */
export function removeEntry(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  options: ChangeOptions = {},
): Promise<Removed> {
  return withMemorySpan('delete_memory', async (note) => {
    const removed = await commitEnd(tenant, memoryRef, id, options)
    note({ recordCount: 1, ...(removed.deleted ? { recordId: id } : {}) })
    return removed
  })
}

type Removed = { readonly deleted: boolean; readonly repeated: boolean }

async function commitEnd(tenant: Tenant, memoryRef: string, id: string, options: ChangeOptions): Promise<Removed> {
  checkChangeOptions(options)
  // Files have routes of their own. An archive ends when its distillation is undone.
  const isHosts = isPrivateRef(memoryRef) || isArchiveRef(memoryRef)
  if (!isMemoryRef(memoryRef) || isHosts || !isEntryId(id)) return { deleted: false, repeated: false }
  const key = hasOtherSpellings(memoryRef) ? await storedKey(tenant, memoryRef, id) : { memoryRef, entryId: id }
  // A reader deletes only what it may see.
  if (tenant.reader !== null && !(await mayDelete(tenant, key))) return { deleted: false, repeated: false }
  const end = async () => {
    // No await unless claims have to be read: concurrent calls are then stored in the order in which they were made.
    const plan = canHaveClaims(memoryRef) ? await planEntryEnd(tenant, key) : endWithoutClaim(key)
    const { outcome, repeated } = await tenant.commit(
      { kind: 'memory.deleted', ...plan, expects: [...(plan.expects ?? []), ...expectation(key, options)] },
      { ...options, call: { operation: 'delete', memoryRef, id, expects: options.expects ?? null } },
    )
    const isDeleted = [...outcome.ended, ...outcome.entries].some(({ entryId }) => entryId === id)
    return { deleted: isDeleted, repeated }
  }
  // With `expects` there is no retry: the caller decided on that version only.
  return options.expects === undefined ? decideAndCommit(end) : end()
}

/** An id of a person is compared in NFC: the entry may be in a ref that is spelled in another way. */
async function storedKey(tenant: Tenant, memoryRef: string, entryId: string): Promise<EntryKey> {
  const [entry] = await tenant.storage.provenance.newestVersions(tenant.id, [entryId])
  const refs = await spelledRefs(tenant.storage, tenant.id, memoryRef)
  return { memoryRef: entry !== undefined && refs.includes(entry.memoryRef) ? entry.memoryRef : memoryRef, entryId }
}

async function mayDelete(tenant: Tenant, { entryId }: EntryKey): Promise<boolean> {
  const [entry] = await tenant.storage.provenance.newestVersions(tenant.id, [entryId])
  return entry !== undefined && mayRead(tenant, entry.readers)
}

/** The text of the next version of an entry. Without `tags` it has none. */
export type RevisedText = {
  readonly content: string
  readonly tags?: readonly string[]
  /** A class below that of the caller. An entry that is untrusted stays so. */
  readonly trust?: Trust
}

/** Stores the next version of an entry: same id, same `createdAt`, new text. Reads as of earlier positions return the old one. */
export function revise(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  revised: RevisedText,
  options: ChangeOptions = {},
): Promise<MemoryEntry> {
  return withMemorySpan('update_memory', async (note) => {
    const entry = await commitRevision(tenant, memoryRef, id, revised, options)
    note({ recordCount: 1, recordId: entry.id })
    return entry
  })
}

async function commitRevision(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  revised: RevisedText,
  options: ChangeOptions,
): Promise<MemoryEntry> {
  checkChangeOptions(options)
  checkKnownKeys('entry', revised, ['content', 'tags', 'trust'])
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) throw new ColophonError('version_conflict', 'There is no such entry.')
  refuseHostMemoryRef(memoryRef)
  const key = { memoryRef, entryId: id }
  const origin: Origin = { kind: 'api', ...keyOfActor(options.actor ?? tenant.engine.actor) }
  const draft = parseDraft(revised)
  const { content, trust: editorTrust = defaultTrust } = draft
  const text = { content, tags: [...draft.tags, sourceTag(origin)], origin, editorTrust }
  const call = { operation: 'revise', memoryRef, id, entry: draft, expects: options.expects ?? null }
  const { entry } = await storeRevision(tenant, key, text, expectation(key, options), { ...options, call })
  return entry
}

/** Stores the next version of a live entry. A retry with the same idempotency key returns the version that the first call stored. */
export async function storeRevision(
  tenant: Tenant,
  key: EntryKey,
  text: Pick<Revision, 'content' | 'tags' | 'origin' | 'editorTrust'>,
  expects: Batch['expects'],
  options: CommitOptions,
): Promise<{ readonly entry: MemoryEntry; readonly repeated: boolean }> {
  const revision = { ...key, ...text, revives: false, salt: tenant.system.newSalt() }
  const committed = await tenant.commit({ kind: 'memory.revised', revisions: [revision], expects }, options)
  const { repeated } = committed
  const [version] = repeated ? await repeatedVersions(tenant, committed.outcome) : committed.versions
  if (!version) throw new ColophonError('content_erased', 'The entry that the first call stored was erased.')
  return { entry: toMemoryEntry(version), repeated }
}

function checkChangeOptions(options: ChangeOptions): void {
  checkKnownKeys('options', options, changeOptionKeys)
  if (options.expects !== undefined) checkCount('expects', options.expects, 1)
}

function expectation(key: { memoryRef: string; entryId: string }, { expects }: ChangeOptions) {
  return expects === undefined ? [] : [{ ...key, version: expects }]
}
