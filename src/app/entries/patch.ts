import { keyOfActor } from '../../core/access/actor.ts'
import { checkKnownKeys } from '../../core/check.ts'
import { currentView } from '../../core/entries/as-of.ts'
import {
  checkContent,
  type EntryVersion,
  type MemoryEntry,
  type Origin,
  toMemoryEntry,
} from '../../core/entries/entry.ts'
import { parseReaders, type Readers } from '../../core/entries/readers.ts'
import { isHostTag, parseTags, sourceTag } from '../../core/entries/tags.ts'
import { checkTrust, defaultTrust, type Trust, writeTrust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { isMemoryRef, refuseHostMemoryRef } from '../../core/names.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { type WriteOptions, writeOptionKeys } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { storeRevision } from './change.ts'
import { commitReaders } from './change-readers.ts'
import { originOfContent } from './content-origin.ts'
import { isEntryId } from './read.ts'
import { wholeAccess } from './read-access.ts'
import { refuseErasedRetry } from './repeated-call.ts'

/** The members of an entry to change. A member that is left out keeps its value. */
export type EntryPatch = {
  readonly content?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** A class below that of the caller. An entry that is untrusted stays so. */
  readonly trust?: Trust | undefined
  /** Who may read the entry, in its whole history; null for everyone. It must be the only change. */
  readonly readers?: readonly string[] | null | undefined
}

export type PatchOptions = WriteOptions & {
  /** Whether the caller may add readers to an entry that another key wrote. */
  readonly mayWiden?: boolean
}

type Patched = { readonly entry: MemoryEntry; readonly repeated: boolean }

/**
 * Stores the next version of an entry: same id, same `createdAt`. Reads as of earlier positions return the old one. Refs of the host
 * (`subject:…`) are refused: a memory about a person is changed by `patchMemory`, where the edit has to win its claim.
 */
export function patchEntry(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  patch: EntryPatch,
  options: PatchOptions = {},
): Promise<Patched> {
  return withMemorySpan('update_memory', async (note) => {
    const patched = await commitPatch(tenant, memoryRef, id, patch, options)
    note({ recordCount: 1, recordId: patched.entry.id })
    return patched
  })
}

async function commitPatch(
  tenant: Tenant,
  memoryRef: string,
  id: string,
  patch: EntryPatch,
  { mayWiden = true, ...options }: PatchOptions,
): Promise<Patched> {
  checkKnownKeys('options', options, writeOptionKeys)
  const { content, tags, trust, readers } = parsePatch(patch)
  const lowered = trust === null ? {} : { trust }
  const named = readers === undefined ? {} : { readers }
  const write = { ...options, call: { operation: 'patch-entry', memoryRef, id, content, tags, ...lowered, ...named } }
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) throw noSuchEntry()
  refuseHostMemoryRef(memoryRef)
  const key = { memoryRef, entryId: id }
  return decideAndCommit(async () => {
    const now = tenant.expiryNow()
    const view = { ...currentView, access: wholeAccess(tenant) }
    const current = await tenant.storage.get({ tenantId: tenant.id, ...key, view, now })
    if (current === null) {
      await refuseErasedRetry(tenant, write)
      throw noSuchEntry()
    }
    const actor = options.actor ?? tenant.engine.actor
    if (readers !== undefined) {
      const { repeated } = await commitReaders(tenant, current, readers, { actor, mayWiden }, write)
      return { entry: toMemoryEntry(current), repeated }
    }
    const origin: Origin =
      content === null ? await originOfContent(tenant, current) : { kind: 'api', ...keyOfActor(actor) }
    const text = nextText({ ...current, origin }, content, tags)
    // Other tags alone leave the class as it is; a lower class can be asked for without a new text.
    const isStated = content !== null || trust !== null
    const editorTrust = isStated ? { editorTrust: trust ?? defaultTrust } : {}
    return storeRevision(tenant, key, { ...text, ...editorTrust }, [{ ...key, version: current.version }], write)
  })
}

type ParsedPatch = {
  readonly content: string | null
  readonly tags: readonly string[] | null
  readonly trust: Trust | null
  readonly readers?: Readers
}

function parsePatch(patch: EntryPatch): ParsedPatch {
  checkKnownKeys('entry', patch ?? null, ['content', 'tags', 'trust', 'readers'])
  const { content, tags, trust, readers } = patch
  const isText = content !== undefined || tags !== undefined || trust !== undefined
  if (!isText && readers === undefined) throw invalid('entry', 'must have content, tags, trust or readers to change')
  if (isText && readers !== undefined) throw invalid('readers', 'cannot be combined with other changes')
  if (trust !== undefined) checkTrust('trust', trust)
  if (content !== undefined) checkContent(content)
  return {
    content: content ?? null,
    tags: tags === undefined ? null : parseTags(tags),
    trust: trust === undefined ? null : writeTrust(defaultTrust, trust),
    ...(readers === undefined ? {} : { readers: parseReaders('readers', readers) }),
  }
}

/** A new content has the caller as its origin. A change of the tags alone keeps the origin of the content. */
function nextText(current: EntryVersion, content: string | null, tags: readonly string[] | null) {
  const { origin } = current
  const own = tags ?? current.tags.filter((tag) => !isHostTag(tag))
  if (content === null) return { content: current.content, tags: [...own, ...current.tags.filter(isHostTag)], origin }
  return { content, tags: [...own, sourceTag(origin)], origin }
}

function noSuchEntry(): ColophonError {
  return new ColophonError('not_found', 'There is no such entry.')
}
