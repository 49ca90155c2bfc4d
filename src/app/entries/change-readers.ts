import { keyOfActor } from '../../core/access/actor.ts'
import { type Committed, readersChangedKind } from '../../core/commit/batch.ts'
import { commonReaders } from '../../core/entries/access.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { actorOfWrite } from '../../core/entries/entry-audit.ts'
import { areSameReaders, isWider, type Readers, readerForbidden } from '../../core/entries/readers.ts'
import { ColophonError } from '../../core/errors.ts'
import type { Change, CommitOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'

/** The caller that changes the readers of an entry. */
export type ReadersEditor = {
  readonly actor: string
  /** Whether the caller may let others read an entry that another key wrote. */
  readonly mayWiden: boolean
}

/**
 * Changes who may read an entry, at once and for its whole history: all versions get the same readers, so that reads of the past are
 * judged by the rights of today. Summaries that were made of it lose the readers that it loses. The caller retries after a conflict.
 */
export async function commitReaders(
  tenant: Tenant,
  entry: EntryVersion,
  readers: Readers,
  editor: ReadersEditor,
  write: CommitOptions,
): Promise<Committed> {
  const versions = await tenant.storage.provenance.entryVersions(tenant.id, entry.entryId)
  if (isWider(entry.readers, readers) && !editor.mayWiden && !(await isAuthor(tenant, versions[0], editor)))
    throw readerForbidden('Only the key that wrote the entry, or one with the scope memory:admin, can add readers.')
  const entries = [{ versions, readers }, ...(await derivedEntries(tenant, entry.entryId, readers, new Set()))]
  const changed = entries.flatMap((item) =>
    item.versions.flatMap((version) => toRewrite(tenant, version, item.readers)),
  )
  const expects = entries.flatMap((item) => expectNewest(item.versions))
  // A run or a distillation that has read the entry for a reader who loses it must read again.
  const changesRedaction = isWider(readers, entry.readers)
  const change: Change = { kind: readersChangedKind, rewrites: changed, expects, changesRedaction }
  const committed = await tenant.commit(change, write)
  // A version whose text was redacted in between is left as it was. The next attempt changes it.
  if (!committed.repeated && committed.outcome.entries.length < changed.length)
    throw new ColophonError('version_conflict', 'The entry was changed concurrently; retry.')
  return committed
}

function toRewrite({ system }: Tenant, version: EntryVersion, readers: Readers) {
  if (areSameReaders(version.readers, readers)) return []
  const { memoryRef, entryId, content, tags, salt: readSalt } = version
  return [{ memoryRef, entryId, version: version.version, content, tags, readSalt, salt: system.newSalt(), readers }]
}

/** A version that is added in between would have the former readers. */
function expectNewest(versions: readonly EntryVersion[]) {
  const newest = versions.at(-1)
  if (newest === undefined) return []
  const { memoryRef, entryId, version, endedPosition } = newest
  return [{ memoryRef, entryId, version, ...(endedPosition === null ? {} : { isEnded: true as const }) }]
}

/** Whether the caller is the key that wrote the entry. Unknown once its first version was pruned. */
async function isAuthor(tenant: Tenant, first: EntryVersion | undefined, { actor }: ReadersEditor): Promise<boolean> {
  const { keyId } = keyOfActor(actor)
  if (first?.version !== 1 || keyId === undefined) return false
  const { origin, recordedPosition: position, entryId } = first
  if ('keyId' in origin && origin.keyId !== undefined) return origin.keyId === keyId
  if (origin.kind !== 'api') return false
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  return actorOfWrite(row, entryId) === actor
}

type Derived = { readonly versions: readonly EntryVersion[]; readonly readers: Readers }

/** The summaries that were made of an entry, and of those: readable only for those who may read the entry. */
async function derivedEntries(
  tenant: Tenant,
  entryId: string,
  readers: Readers,
  seen: Set<string>,
): Promise<Derived[]> {
  if (readers === null) return []
  const derived: Derived[] = []
  for (const { outputId } of await tenant.storage.compactions.derivedFrom(tenant.id, [entryId])) {
    if (seen.has(outputId)) continue
    seen.add(outputId)
    const versions = await tenant.storage.provenance.entryVersions(tenant.id, outputId)
    const newest = versions.at(-1)
    if (newest === undefined) continue
    const narrowed = commonReaders([newest.readers, readers])
    derived.push({ versions, readers: narrowed }, ...(await derivedEntries(tenant, outputId, narrowed, seen)))
  }
  return derived
}
