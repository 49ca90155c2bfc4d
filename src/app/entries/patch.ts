import { keyOfActor } from '../../core/access/actor.ts'
import { checkKnownKeys } from '../../core/check.ts'
import { currentView } from '../../core/entries/as-of.ts'
import { checkContent, type EntryVersion, type MemoryEntry, type Origin } from '../../core/entries/entry.ts'
import { isHostTag, parseTags, sourceTag } from '../../core/entries/tags.ts'
import { checkTrust, defaultTrust, type Trust, writeTrust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { isMemoryRef, refuseHostMemoryRef } from '../../core/names.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { type WriteOptions, writeOptionKeys } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { storeRevision } from './change.ts'
import { originOfContent } from './content-origin.ts'
import { isEntryId } from './read.ts'
import { refuseErasedRetry } from './repeated-call.ts'

/** The members of an entry to change. A member that is left out keeps its value. */
export type EntryPatch = {
  readonly content?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** A class below that of the caller. An entry that is untrusted stays so. */
  readonly trust?: Trust | undefined
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
  options: WriteOptions = {},
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
  options: WriteOptions,
): Promise<Patched> {
  checkKnownKeys('options', options, writeOptionKeys)
  const { content, tags, trust } = parsePatch(patch)
  const lowered = trust === null ? {} : { trust }
  const write = { ...options, call: { operation: 'patch-entry', memoryRef, id, content, tags, ...lowered } }
  if (!isMemoryRef(memoryRef) || !isEntryId(id)) throw noSuchEntry()
  refuseHostMemoryRef(memoryRef)
  const key = { memoryRef, entryId: id }
  return decideAndCommit(async () => {
    const now = tenant.now()
    const current = await tenant.storage.get({ tenantId: tenant.id, ...key, view: currentView, now })
    if (current === null) {
      await refuseErasedRetry(tenant, write)
      throw noSuchEntry()
    }
    const origin: Origin =
      content === null
        ? await originOfContent(tenant, current)
        : { kind: 'api', ...keyOfActor(options.actor ?? tenant.engine.actor) }
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
}

function parsePatch(patch: EntryPatch): ParsedPatch {
  checkKnownKeys('entry', patch ?? null, ['content', 'tags', 'trust'])
  const { content, tags, trust } = patch
  if (content === undefined && tags === undefined && trust === undefined)
    throw invalid('entry', 'must have content, tags or trust to change')
  if (trust !== undefined) checkTrust('trust', trust)
  if (content !== undefined) checkContent(content)
  return {
    content: content ?? null,
    tags: tags === undefined ? null : parseTags(tags),
    trust: trust === undefined ? null : writeTrust(defaultTrust, trust),
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
