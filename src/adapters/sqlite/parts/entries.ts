import { type EntryHead, type EntryPartState, keyOf } from '../../../core/commit/parts/entries.ts'
import { invariant } from '../../../core/invariant.ts'
import { type HeadRow, headColumns, toHead, versionValues, writtenColumns } from '../../sql/version-rows.ts'
import { notFenced } from '../fence.ts'
import { scopeIdOf } from '../search-table.ts'
import type { PreparePart } from './part.ts'
import { prepareTags } from './tags.ts'

export const entries: PreparePart<EntryPartState> = (db, { search }) => {
  const tags = prepareTags(db)
  const heads = new Map<string, EntryHead | undefined>()
  // The plus before a column keeps SQLite from searching by the ref, which may have a million other entries.
  const head = db.prepare(`
    select ${headColumns}
      from entry_version
     where tenant_id = ?
       and +memory_ref = ?
       and entry_id = ?
       and ${notFenced('entry_version', 'entry_version.tenant_id')}
     order by version desc
     limit 1`)
  const insert = db.prepare(`
    insert into entry_version (row_id, tenant_id, ${writtenColumns})
    values (?, ?, ${writtenColumns.replace(/\w+/g, '?')})`)
  const end = db.prepare(`
    update entry_version
       set ended_position = ?, ended_reason = ?
     where tenant_id = ?
       and +memory_ref = ?
       and entry_id = ?
       and version = ?`)
  return {
    state: (tenantId) => ({
      // A batch that expects an entry and ends it reads it twice.
      head: memoizeBy(
        heads,
        (key) => `${tenantId}\u0000${keyOf(key)}`,
        ({ memoryRef, entryId }) => {
          const row = head.get(tenantId, memoryRef, entryId) as HeadRow | undefined
          return row && toHead(row)
        },
      ),
    }),

    begin: () => heads.clear(),

    save(tenantId, { endings, versions }) {
      for (const ending of endings) {
        const { memoryRef, entryId, version, endedPosition, endedReason } = ending
        const { changes } = end.run(endedPosition, endedReason, tenantId, memoryRef, entryId, version)
        invariant(changes === 1, 'the version that ends was read in the same transaction')
        tags.end(tenantId, ending, ending.tags)
      }
      for (const version of versions) {
        const rowId = search.add(tenantId, version)
        insert.run(rowId, versionValues(tenantId, version))
        tags.add(scopeIdOf(rowId), version, version.tags)
      }
    },
  }
}

/** Loads each row once, until `loaded` is cleared. */
function memoizeBy<Key, T>(loaded: Map<string, T>, nameOf: (key: Key) => string, load: (key: Key) => T) {
  return (key: Key): T => {
    const name = nameOf(key)
    if (loaded.has(name)) return loaded.get(name) as T
    const value = load(key)
    loaded.set(name, value)
    return value
  }
}
