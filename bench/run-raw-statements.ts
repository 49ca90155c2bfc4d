import type { Database } from 'better-sqlite3'
import { jobRows } from '../src/adapters/sql/rows.ts'
import { runColumns, runEventRows, runHeadColumns } from '../src/adapters/sql/run-rows.ts'

/** The statements that a run's two commits add to those of a put, with positional parameters and shared column lists. */
export function runStatements(db: Database) {
  return {
    begin: db.prepare('begin immediate'),
    commit: db.prepare('commit'),
    rollback: db.prepare('rollback'),
    head: db.prepare(`
      select ${runHeadColumns}
        from run
       where tenant_id = ?
         and run_id = ?`),
    insert: db.prepare(`
      insert into run (tenant_id, ${runColumns})
      values (?, ${places(runColumns)})`),
    update: db.prepare(`
      update run
         set revision = ?, next_sequence = ?, updated_at = ?, tags = ?, facts = ?, text = ?, status = ?, ended_at = ?
       where tenant_id = ?
         and run_id = ?`),
    insertEvent: db.prepare(`
      insert into run_event (tenant_id, ${runEventRows.columns})
      values (?, ${places(runEventRows.columns)})`),
    loadJob: db.prepare(`select ${jobRows.columns} from job where tenant_id = ? and job_id = ?`),
    saveJob: db.prepare(`
      insert into job (tenant_id, ${jobRows.columns})
      values (?, ${places(jobRows.columns)})
          on conflict (tenant_id, job_id) do update
         set status = excluded.status, due_at = excluded.due_at, payload = excluded.payload, attempts = excluded.attempts,
             lost_leases = excluded.lost_leases, lease_token = excluded.lease_token, worker = excluded.worker,
             progress = excluded.progress, error = excluded.error, result = excluded.result,
             started_at = excluded.started_at, ended_at = excluded.ended_at`),
    announceJob: db.prepare(`
      insert into job_ready (tenant_id, due_at, turn)
      values (?, ?, 0)
          on conflict (tenant_id) do update
         set due_at = min(due_at, excluded.due_at)`),
  }
}

function places(columns: string): string {
  return columns.replace(/\w+/g, '?')
}
