import type { Database, Statement } from 'better-sqlite3'
import { clockRows } from '../sql/rows.ts'

/** The statements of every commit, whatever its parts. */

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
  | 'insertAudit'
  | 'outcomes'
  | 'sweepOutcomes'
  | 'saveOutcome'

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
    insertAudit: db.prepare(`
      insert into audit (tenant_id, position, at, body, hash, refs)
      values (?, ?, ?, ?, ?, ?)`),
    outcomes: db.prepare(`
      select key, digest, outcome, created_at
        from idempotency
       where tenant_id = ?
         and key in (?, ?)`),
    // Every new key deletes a few expired ones, so the table never has more than a day or so of them.
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
