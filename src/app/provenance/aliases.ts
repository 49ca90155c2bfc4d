import { keyOfActor } from '../../core/access/actor.ts'
import type { ReadAccess } from '../../core/entries/access.ts'
import { currentView } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { aliasesTag, sourceTag } from '../../core/entries/tags.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { aliasesIn, aliasText, aliasWords } from '../../core/search/aliases.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { readAccess, wholeAccess } from '../entries/read-access.ts'
import { storedName } from '../people/stored-spellings.ts'
import { findEntries } from '../search/find-entries.ts'
import type { Tenant } from '../tenant.ts'
import { positionOf, refOf } from './find-memories.ts'

/** A name of a subject, or of a person or thing in its memories, and the memory that says so. */
export type KnownAlias = {
  readonly names: readonly string[]
  /** `explicit`: set by a client. `inferred`: a memory says that the names mean the same. */
  readonly source: 'explicit' | 'inferred'
  readonly memoryId: string
}

/** The names that mean the same in the memories about a subject. Inferred ones are not stored: they are read from the memories. */
export async function listAliases(tenant: Tenant, subject: string): Promise<KnownAlias[]> {
  const memoryRef = refOf(subject)
  const [access, position] = await Promise.all([readAccess(tenant, {}), positionOf(tenant, undefined)])
  const [stored, found] = await Promise.all([
    findStored(tenant, memoryRef, access),
    findEntries(tenant, {
      memoryRef,
      query: aliasWords(),
      position,
      own: [],
      access,
      filter: {},
      limit: limits.memoriesPageMax,
      isLexical: true,
    }),
  ])
  const inferred = found.hits.map(({ entry }) => entry).filter(({ entryId }) => entryId !== stored?.entryId)
  const toAliases = (entry: EntryVersion, source: KnownAlias['source']) =>
    aliasesIn(entry.content).map((names): KnownAlias => ({ names, source, memoryId: entry.entryId }))
  return [
    ...(stored === null ? [] : toAliases(stored, 'explicit')),
    ...inferred.flatMap((entry) => toAliases(entry, 'inferred')),
  ]
}

/**
 * Sets the aliases of a subject; none removes them. They are a memory about the subject, so that readers, history, export, audit and erasure
 * apply, and searches read them like any other statement about names.
 */
export async function setAliases(
  tenant: Tenant,
  named: string,
  aliases: readonly string[],
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  const names = [...new Set(aliases)]
  if (names.some((alias) => /["\n]/.test(alias) || alias.trim() === ''))
    throw invalid('aliases', 'must be names: not empty, in one line, without double quotes')
  const subject = await storedName(tenant, named)
  const memoryRef = refOf(subject)
  // As the client sent it.
  const write = { ...options, call: { operation: 'aliases', subject: named, aliases: names } }
  const { repeated } = await decideAndCommit(async () => {
    const current = await findStored(tenant, memoryRef, wholeAccess(tenant))
    return tenant.commit(toChange(tenant, { subject, memoryRef, names, current }, options), write)
  })
  return { repeated }
}

/** The names that clients set for a subject, also those that some readers cannot see. */
export async function declaredAliases(tenant: Tenant, subject: string): Promise<readonly string[]> {
  const stored = await findStored(tenant, refOf(subject), wholeAccess(tenant))
  return stored === null ? [] : aliasesIn(stored.content).flatMap(([, ...names]) => names)
}

async function findStored(tenant: Tenant, memoryRef: string, access: ReadAccess): Promise<EntryVersion | null> {
  const query = {
    tenantId: tenant.id,
    memoryRef,
    tag: aliasesTag,
    view: { ...currentView, access },
    now: tenant.expiryNow(),
  }
  const { versions } = await tenant.storage.list({ ...query, before: null, limit: 1 })
  return versions[0] ?? null
}

function toChange(
  tenant: Tenant,
  parts: {
    readonly subject: string
    readonly memoryRef: string
    readonly names: readonly string[]
    readonly current: EntryVersion | null
  },
  { actor = tenant.engine.actor }: WriteOptions,
): Change {
  const { subject, memoryRef, names, current } = parts
  const origin = { kind: 'api', ...keyOfActor(actor) } as const
  const text = {
    content: aliasText(subject, names),
    tags: [aliasesTag, sourceTag(origin)],
    origin,
    salt: tenant.system.newSalt(),
  }
  if (current === null) {
    if (names.length === 0) return { kind: 'memory.written' }
    const entryId = tenant.system.newId('mem')
    const of = { memoryRef, tag: aliasesTag, now: tenant.expiryNow() }
    const puts = [{ ...text, memoryRef, entryId, subject, expiresAt: null }]
    return { kind: 'memory.written', puts, capacities: [{ of, max: 1 }] }
  }
  const { entryId, version } = current
  const expects = [{ memoryRef, entryId, version }]
  if (names.length === 0) return { kind: 'memory.deleted', ends: [{ memoryRef, entryId, reason: 'deleted' }], expects }
  return { kind: 'memory.revised', revisions: [{ ...text, memoryRef, entryId, revives: false }], expects }
}
