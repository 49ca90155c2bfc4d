import type { Database } from 'better-sqlite3'
import { headColumns, listedColumns, versionColumns } from '../src/adapters/sql/version-rows.ts'

/**
 * The statements of the SQLite adapter with positional parameters. The column lists are shared: other columns would be other work. The plus
 * of a limit keeps SQLite from compiling the statement again for each value.
 */

const columns = listedColumns.replace(/\w+/g, 'v.$&')

export function writeStatements(db: Database) {
  return {
    clock: db.prepare(`
      select position, last_hash, last_created_at, redaction_version
        from tenant_clock
       where tenant_id = ?`),
    updateClock: db.prepare(`
      update tenant_clock
         set position = ?, last_hash = ?, last_created_at = ?
       where tenant_id = ?`),
    head: db.prepare(`
      select ${headColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
       order by version desc
       limit 1`),
    insertVersion: db.prepare(`
      insert into entry_version (row_id, tenant_id, memory_ref, entry_id, version, content, tags, salt, created_at,
        expires_at, created_position, ordinal, recorded_position, subject, origin, run_id, run_sequence)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    // So many rows, the last of them at a position: the id of the row before them.
    takeRows: db
      .prepare(`
      insert into search_scope (tenant_id, memory_ref, newest, highest_position, indexed, row_count, unordered_to)
      values (:tenantId, :memoryRef, :rows, :position, 0, 0, 0)
          on conflict (tenant_id, memory_ref) do update
         set newest = newest + excluded.newest, highest_position = excluded.highest_position
      returning scope_id * 268435456 + newest - :rows`)
      .pluck(),
    insertTag: db.prepare(`
      insert into search_tag (scope_id, tag, created_position, ordinal, version, recorded_position)
      values (?, ?, ?, ?, ?, ?)`),
    endVersion: db.prepare(`
      update entry_version
         set ended_position = ?, ended_reason = ?
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and version = ?`),
    endTag: db.prepare(`
      update search_tag
         set ended_position = ?
       where scope_id = (select scope_id from search_scope where tenant_id = ? and memory_ref = ?)
         and tag = ?
         and created_position = ?
         and ordinal = ?
         and version = ?`),
    insertKeys: db.prepare('insert into search_key (rowid, keys) values (?, ?)'),
    saveProgress: db.prepare(`
      update search_scope
         set indexed = indexed + :rows, row_count = row_count + :rows
       where tenant_id = :tenantId
         and memory_ref = :memoryRef`),
    insertAudit: db.prepare(`
      insert into audit (tenant_id, position, at, body, hash, refs)
      values (?, ?, ?, ?, ?, ?)`),
  }
}

export function readStatements(db: Database) {
  return {
    get: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and ended_position is null
         and (expires_at is null or expires_at > ?)`),
    list: db.prepare(`
      select ${columns}
        from entry_version v
       where v.tenant_id = ?
         and v.memory_ref = ?
         and v.ended_position is null
         and (v.created_position, v.ordinal) < (?, ?)
         and (v.expires_at is null or v.expires_at > ?)
       order by v.created_position desc, v.ordinal desc
       limit +?`),
    listAt: db.prepare(`
      select ${columns}
        from entry_version v
       where v.tenant_id = ?
         and v.memory_ref = ?
         and (v.created_position, v.ordinal) < (?, ?)
         and v.recorded_position <= ?
         and (v.ended_position is null or v.ended_position > ?)
         and (v.expires_at is null or v.expires_at > ?)
       order by v.created_position desc, v.ordinal desc
       limit +?`),
    listTag: db.prepare(`
      select ${columns}
        from entry_tag t
       cross join entry_version v
          on v.tenant_id = t.tenant_id
         and v.memory_ref = t.memory_ref
         and v.created_position = t.created_position
         and v.ordinal = t.ordinal
         and v.version = t.version
       where t.tenant_id = ?
         and t.memory_ref = ?
         and t.tag = ?
         and t.ended_position is null
         and (t.created_position, t.ordinal) < (?, ?)
         and (v.expires_at is null or v.expires_at > ?)
       order by t.created_position desc, t.ordinal desc
       limit +?`),
  }
}
