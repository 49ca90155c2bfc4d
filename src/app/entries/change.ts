import { keyIn } from '../../core/access/actor.ts'
import { checkCount, checkKnownKeys } from '../../core/check.ts'
import type { Batch, Revision } from '../../core/commit/batch.ts'
import { type EntryKey, type MemoryEntry, type Origin, parseDraft, toMemoryEntry } from '../../core/entries/entry.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { ColophonError } from '../../core/errors.ts'
import { checkClientMemoryRef, isMemoryRef } from '../../core/names.ts'
import { type CommitOptions, type WriteOptions, writeOptionKeys } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { holdsClaims, plainEnd, planEnd } from '../provenance/withdraw.ts'
import type { Tenant } from '../tenant.ts'
import { isEntryId } from './read.ts'
import { repeatedVersions } from './repeated-call.ts'

/** `expects` names the version the caller has seen; if the entry moved on, nothing happens. */
export type ChangeOptions = WriteOptions & { readonly expects?: number }

const changeOptionKeys = [...writeOptionKeys, 'expects'] as const

/** True if and only if it existed. Later runs do not see it any more; runs under way still do. */
export async function removeEntry(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  options: ChangeOptions = {},
): Promise<{ readonly deleted: boolean; readonly repeated: boolean }> {
  checkChangeOptions(options)
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) return { deleted: false, repeated: false }
  const key = { memoryRef, entryId: id }
  const end = async () => {
    // Without a wait where there is nothing to look up: calls of one moment are stored in the order they were made.
    const plan = holdsClaims(memoryRef) ? await planEnd(tenant, key) : plainEnd(key)
    const { outcome, repeated } = await tenant.commit(
      { kind: 'memory.deleted', ...plan, expects: [...(plan.expects ?? []), ...expectation(key, options)] },
      { ...options, call: { operation: 'delete', memoryRef, id, expects: options.expects ?? null } },
    )
    const isDeleted = [...outcome.ended, ...outcome.entries].some(({ entryId }) => entryId === id)
    return { deleted: isDeleted, repeated }
  }
  // A caller that names a version has decided on that version only.
  return options.expects === undefined ? decideAndCommit(end) : end()
}

export type RevisedText = { readonly content: string; readonly tags?: readonly string[] }

/** The entry's next version: same id, same age, new text. Earlier snapshots keep the old one. */
export async function revise(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  revised: RevisedText,
  options: ChangeOptions = {},
): Promise<MemoryEntry> {
  checkChangeOptions(options)
  checkKnownKeys('entry', revised, ['content', 'tags'])
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) throw new ColophonError('version_conflict', 'There is no such entry.')
  checkClientMemoryRef(memoryRef)
  const key = { memoryRef, entryId: id }
  const origin: Origin = { kind: 'api', ...keyIn(options.actor ?? tenant.engine.actor) }
  const draft = parseDraft(revised)
  const text = { content: draft.content, tags: [...draft.tags, sourceTag(origin)], origin }
  const call = { operation: 'revise', memoryRef, id, entry: draft, expects: options.expects ?? null }
  const { entry } = await storeRevision(tenant, key, text, expectation(key, options), { ...options, call })
  return entry
}

/** Stores the next version of a live entry, and gives what a repeat of the call gives too. */
export async function storeRevision(
  tenant: Tenant,
  key: EntryKey,
  text: Pick<Revision, 'content' | 'tags' | 'origin'>,
  expects: Batch['expects'],
  options: CommitOptions,
): Promise<{ readonly entry: MemoryEntry; readonly repeated: boolean }> {
  const revision = { ...key, ...text, revives: false, salt: tenant.system.newSalt() }
  const committed = await tenant.commit({ kind: 'memory.revised', revisions: [revision], expects }, options)
  const { repeated } = committed
  const [version] = repeated ? await repeatedVersions(tenant, committed.outcome) : committed.versions
  if (!version) throw new ColophonError('content_erased', 'What the first call stored is gone.')
  return { entry: toMemoryEntry(version), repeated }
}

function checkChangeOptions(options: ChangeOptions): void {
  checkKnownKeys('options', options, changeOptionKeys)
  if (options.expects !== undefined) checkCount('expects', options.expects, 1)
}

function expectation(key: { memoryRef: string; entryId: string }, { expects }: ChangeOptions) {
  return expects === undefined ? [] : [{ ...key, version: expects }]
}
