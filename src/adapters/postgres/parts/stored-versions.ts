import { keyOf } from '../../../core/commit/parts/entries.ts'
import type {
  SealedErasure,
  SealedRewrite,
  StoredVersionPartState,
  VersionKey,
} from '../../../core/commit/parts/stored-versions.ts'
import type { EntryVersion } from '../../../core/entries/entry.ts'
import { invariant } from '../../../core/invariant.ts'
import { toVersion, type VersionRow, versionColumns } from '../../sql/version-rows.ts'
import { rowByKey } from '../commit-rows.ts'
import { lists, type Send, statement, tenantOfCall } from '../connection.ts'
import { versionKey } from '../fold-endings.ts'
import { lockIndex, type NumberedVersion, returnToIndex, shrinkIndex, takeFromIndex } from '../search-table.ts'
import { firstTagKey, recordedColumn, tagColumns, tagKeyColumns, tagKeys, tagPlace } from '../tag-rows.ts'
import { eraseVectors, rewriteVectors } from '../vectors.ts'
import type { PostgresPart } from './part.ts'

export type StoredVersionsLoaded = {
  readonly versions: Map<string, EntryVersion>
  /** As they were when they were locked. */
  readonly stored: ReadonlyMap<string, NumberedVersion>
}

export const storedVersions: PostgresPart<StoredVersionsLoaded, StoredVersionPartState> = {
  none: () => ({ versions: new Map(), stored: new Map() }),

  async load(send, tenantId, batches) {
    const keys = batches.flatMap((batch) => [...batch.rewrites, ...batch.erasures])
    if (keys.length === 0) return this.none()
    const ids = keys.map(({ entryId }) => entryId)
    const numbers = keys.map(({ version }) => version)
    const { rows } = await send<VersionRow & { nth: number }>(sql.lock, [tenantId, ids, numbers])
    const stored = new Map(rows.map((row) => ({ ...toVersion(row), nth: row.nth })).map((v) => [versionKey(v), v]))
    return { versions: new Map(Array.from(stored, ([key, { nth: _nth, ...version }]) => [key, version])), stored }
  },

  state: ({ versions }) => ({ version: (key) => versions.get(versionKey(key)) }),

  /** Rewrites and endings of the same version in one group must know of each other: tags follow the version's life. */
  after({ versions, heads }, { rewrites, erasures, endings }) {
    for (const { oldTags: _old, keepsText: _kept, ...rewritten } of rewrites) {
      versions.set(versionKey(rewritten), rewritten)
      const head = heads.get(keyOf(rewritten))
      if (head?.version === rewritten.version) {
        const { tags, readers } = rewritten
        heads.set(keyOf(rewritten), { ...head, tags, readers })
      }
    }
    for (const ending of endings) {
      const stored = versions.get(versionKey(ending))
      if (stored) versions.set(versionKey(ending), { ...stored, endedPosition: ending.endedPosition })
    }
    for (const erasure of erasures) {
      versions.delete(versionKey(erasure))
      if (heads.get(keyOf(erasure))?.version === erasure.version) heads.delete(keyOf(erasure))
    }
  },

  save(send, tenantId, sealed, _at, { stored }) {
    const rewrites = sealed.flatMap((batch) => batch.rewrites)
    const erasures = sealed.flatMap((batch) => batch.erasures)
    if (rewrites.length === 0 && erasures.length === 0) return []
    // What is taken out of the index is named by what was indexed: the text before.
    const indexed = new Map(stored)
    return [
      ...lockIndex(send, tenantId, [...rewrites, ...erasures]),
      ...rewrites.flatMap((rewrite) => rewriteVersion(send, tenantId, rewrite, indexed)),
      ...eraseVersions(send, tenantId, erasures, indexed),
    ]
  },
}

function rewriteVersion(
  send: Send,
  tenantId: string,
  v: SealedRewrite,
  indexed: Map<string, NumberedVersion>,
): Promise<unknown>[] {
  const before = numberedVersion(indexed, v)
  const after = { ...v, nth: before.nth }
  indexed.set(versionKey(v), after)
  const first = firstTagKey(tenantId)
  const place = tagPlace(v.createdPosition, v.ordinal)
  const oldKeys = tagKeys(first, { ...v, tags: v.oldTags })
  const keys = tagKeys(first, v)
  const removed = oldKeys.filter((key) => !keys.includes(key))
  const added = keys.filter((key) => !oldKeys.includes(key))
  const text = [v.content, JSON.stringify(v.tags), v.salt, v.digestPosition, v.readers && JSON.stringify(v.readers)]
  const rewritten = send(sql.rewrite, [tenantId, v.entryId, v.version, ...text])
  if (v.keepsText) return [rewritten]
  return [
    rewritten,
    ...takeFromIndex(send, tenantId, [before]),
    returnToIndex(send, tenantId, after),
    ...rewriteVectors(send, tenantId, v),
    send(sql.removeTags, [tenantId, removed, place, v.version]),
    send(sql.addTags, [tenantId, added, place, v.version, recordedColumn(v), v.endedPosition]),
  ]
}

/** Each version with everything that is kept for it. Rows of another kind that are kept per version are deleted here and nowhere else. */
function eraseVersions(
  send: Send,
  tenantId: string,
  erasures: readonly SealedErasure[],
  indexed: ReadonlyMap<string, NumberedVersion>,
): Promise<unknown>[] {
  if (erasures.length === 0) return []
  const versions = erasures.map((erasure) => numberedVersion(indexed, erasure))
  return [
    send(sql.deleteTags, [tenantId, ...tagKeyColumns(tenantId, erasures)]),
    ...takeFromIndex(send, tenantId, versions),
    eraseVectors(send, tenantId, erasures),
    send(sql.deleteVersions, [tenantId, erasures.map((v) => v.entryId), erasures.map((v) => v.version)]),
    ...shrinkIndex(send, tenantId, versions),
  ]
}

function numberedVersion(stored: ReadonlyMap<string, NumberedVersion>, key: VersionKey): NumberedVersion {
  const version = stored.get(versionKey(key))
  invariant(version !== undefined, 'a version that is rewritten or erased was locked')
  return version
}

const sql = {
  /** Versions with their texts, locked: a rewrite decides by them. */
  lock: statement(
    'lock_versions',
    `select ${versionColumns.replace(/\w+/g, 'v.$&')}, v.nth
     from unnest(${lists('$2::text', '$3::bigint')}) as wanted (entry_id, version),
          lateral (
            select *
              from entry_version
             where tenant_id = $1
               and entry_id = wanted.entry_id
               and version = wanted.version
               for update) as v`,
  ),
  rewrite: statement(
    'rewrite_version',
    `update entry_version
      set content = $4, tags = $5, salt = $6, digest_position = $7, readers = $8
    where tenant_id = $1
      and entry_id = $2
      and version = $3`,
  ),
  /** Tags that contained a secret are deleted as rows, not ended: their text must not stay. */
  removeTags: statement(
    'remove_tags',
    `delete from entry_tag
    where tenant_id = $1
      and tag_key = any($2)
      and place = $3
      and version = $4`,
  ),
  addTags: statement(
    'add_tags',
    `insert into entry_tag (tenant_id, ${tagColumns})
   select c.tenant_id, key, $3, $4, $5, $6
     from ${tenantOfCall}, unnest($2::bigint[]) as key`,
  ),
  deleteVersions: statement(
    'delete_versions',
    `delete from entry_version v
    using unnest(${lists('$2::text', '$3::bigint')}) as gone (entry_id, version),
          ${rowByKey('entry_version', 'keyed.entry_id = gone.entry_id and keyed.version = gone.version')} as found
    where v.tenant_id = $1
      and v.ctid = found.ctid`,
  ),
  deleteTags: statement(
    'delete_tags',
    `delete from entry_tag t
    using unnest(${lists('$2::bigint', '$3::bigint', '$4::bigint')}) as gone (tag_key, place, version),
          ${rowByKey(
            'entry_tag',
            'keyed.tag_key = gone.tag_key and keyed.place = gone.place and keyed.version = gone.version',
          )} as found
    where t.tenant_id = $1
      and t.ctid = found.ctid`,
  ),
}
