import type { Database, Statement } from 'better-sqlite3'
import { clockRows } from '../sql/rows.ts'
import { headColumns, versionColumns, writtenColumns } from '../sql/version-rows.ts'
import { notFenced } from './fence.ts'

/** What commits ask SQLite. */

export const selectClock = `
  select ${clockRows.columns}
    from tenant_clock
   where tenant_id = ?`

type CommitStatement =
  | 'begin'
  | 'commit'
  | 'rollback'
  | 'clock'
  | 'updateClock'
  | 'head'
  | 'insertVersion'
  | 'insertTag'
  | 'endVersion'
  | 'endTag'
  | 'version'
  | 'rewriteVersion'
  | 'removeTag'
  | 'insertAudit'
  | 'outcomes'
  | 'sweepOutcomes'
  | 'saveOutcome'

/** The plus before a column keeps SQLite from looking an entry up by its ref, which may hold a million others. */
export function prepareCommit(db: Database): Record<CommitStatement, Statement> {
  return {
    begin: db.prepare('begin immediate'),
    commit: db.prepare('commit'),
    rollback: db.prepare('rollback'),
    clock: db.prepare(selectClock),
    updateClock: db.prepare(`
      update tenant_clock
         set position = ?, last_hash = ?, last_created_at = ?, redaction_version = ?, history_from = ?
       where tenant_id = ?`),
    head: db.prepare(`
      select ${headColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and ${notFenced('entry_version', 'entry_version.tenant_id')}
       order by version desc
       limit 1`),
    insertVersion: db.prepare(`
      insert into entry_version (tenant_id, ${writtenColumns})
      values (?, ${writtenColumns.replace(/\w+/g, '?')})`),
    insertTag: db.prepare(`
      insert into entry_tag (tenant_id, memory_ref, tag, created_position, ordinal, version, recorded_position)
      values (?, ?, ?, ?, ?, ?, ?)`),
    endVersion: db.prepare(`
      update entry_version
         set ended_position = ?, ended_reason = ?
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and version = ?`),
    endTag: db.prepare(`
      update entry_tag
         set ended_position = ?
       where tenant_id = ?
         and memory_ref = ?
         and tag = ?
         and created_position = ?
         and ordinal = ?
         and version = ?`),
    version: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and version = ?`),
    rewriteVersion: db.prepare(`
      update entry_version
         set content = ?, tags = ?, salt = ?, digest_position = ?
       where tenant_id = ?
         and entry_id = ?
         and version = ?`),
    removeTag: db.prepare(`
      delete from entry_tag
       where tenant_id = ?
         and memory_ref = ?
         and tag = ?
         and created_position = ?
         and ordinal = ?
         and version = ?`),
    insertAudit: db.prepare(`
      insert into audit (tenant_id, position, at, body, hash, refs)
      values (?, ?, ?, ?, ?, ?)`),
    outcomes: db.prepare(`
      select key, digest, outcome, created_at
        from idempotency
       where tenant_id = ?
         and key in (?, ?)`),
    // A few expired keys go with every new one, so the table never holds more than a day or so of them.
    sweepOutcomes: db.prepare(`
      delete from idempotency
       where tenant_id = ?
         and key in (
           select key
             from idempotency
            where tenant_id = ?
              and created_at <= ?
            order by created_at
            limit 2)`),
    saveOutcome: db.prepare(`
      insert into idempotency (tenant_id, key, digest, outcome, created_at)
      values (?, ?, ?, ?, ?)
          on conflict (tenant_id, key) do update
         set digest = excluded.digest, outcome = excluded.outcome, created_at = excluded.created_at`),
  }
}
