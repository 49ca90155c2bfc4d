import type { Database } from 'better-sqlite3'
import type { RunPartState } from '../../../core/commit/parts/runs.ts'
import {
  type RunHeadRow,
  runCallRows,
  runColumns,
  runHeadColumns,
  toRunCallRow,
  toRunHead,
  toRunRow,
} from '../../sql/run-rows.ts'
import type { PreparePart } from './part.ts'

export const runs: PreparePart<RunPartState> = (db) => {
  const sql = prepare(db)
  return {
    state: (tenantId) => ({
      run: (runId) => {
        const row = sql.head.get(tenantId, runId) as RunHeadRow | undefined
        return row && toRunHead(row)
      },
      activeInScope: (scopeId) => sql.activeInScope.get(tenantId, scopeId) as string | undefined,
    }),

    save(tenantId, rows) {
      for (const { run, isNew, events, calls, rewritten, shortened } of rows.runs) {
        const row = toRunRow(run)
        if (isNew) sql.insert.run(tenantId, Object.values(row))
        else {
          const { run_id, status, revision, next_sequence, updated_at, ended_at, tags, facts, text } = row
          const state = [revision, next_sequence, updated_at, tags, facts, text]
          if (ended_at !== null) sql.updateEnded.run(state, status, ended_at, tenantId, run_id)
          else {
            sql.update.run(state, tenantId, run_id)
            sql.move.run(status, ended_at, tenantId, run_id, status, ended_at)
          }
        }
        for (const { sequence, type, nodeId, at, payload, cause = null } of events)
          sql.insertEvent.run(tenantId, run.runId, sequence, type, nodeId, at, JSON.stringify(payload), cause)
        for (const { sequence, payload } of rewritten)
          sql.rewriteEvent.run(JSON.stringify(payload), tenantId, run.runId, sequence)
        for (const { ordinal, memoryRef, entries, forgotten } of shortened)
          sql.shorten.run(memoryRef, JSON.stringify(entries), forgotten, tenantId, run.runId, ordinal)
        for (const call of calls) sql.insertCall.run({ tenantId, ...toRunCallRow(run.runId, call) })
      }
    },
  }
}

const named = (columns: string) => columns.replace(/\w+/g, ':$&')
const listed = (columns: string) => columns.replace(/\w+/g, '?')

const changed = 'revision = ?, next_sequence = ?, updated_at = ?, tags = ?, facts = ?, text = ?'

function prepare(db: Database) {
  return {
    head: db.prepare(`
      select ${runHeadColumns}
        from run
       where tenant_id = ?
         and run_id = ?`),
    activeInScope: db
      .prepare(`
      select run_id
        from run
       where tenant_id = ?
         and scope_id = ?
         and ended_at is null
       order by run_id
       limit 1`)
      .pluck(),
    insert: db.prepare(`
      insert into run (tenant_id, ${runColumns})
      values (?, ${listed(runColumns)})`),
    // What a run is stays: its workflow, its scope, its snapshot. So a step touches no index.
    update: db.prepare(`
      update run
         set ${changed}
       where tenant_id = ?
         and run_id = ?`),
    // The end of a run changes its status, so it touches the indexes anyway.
    updateEnded: db.prepare(`
      update run
         set ${changed}, status = ?, ended_at = ?
       where tenant_id = ?
         and run_id = ?`),
    // By itself, because SQLite rewrites an index whenever a statement names its column, also with the same value.
    move: db.prepare(`
      update run
         set status = ?, ended_at = ?
       where tenant_id = ?
         and run_id = ?
         and (status <> ? or ended_at is not ?)`),
    insertEvent: db.prepare(`
      insert into run_event (tenant_id, run_id, sequence, type, node_id, at, payload, cause)
      values (?, ?, ?, ?, ?, ?, ?, ?)`),
    rewriteEvent: db.prepare(`
      update run_event
         set payload = ?
       where tenant_id = ?
         and run_id = ?
         and sequence = ?`),
    shorten: db.prepare(`
      update run_call
         set memory_ref = ?, entries = ?, forgotten = ?
       where tenant_id = ?
         and run_id = ?
         and ordinal = ?`),
    insertCall: db.prepare(`
      insert into run_call (tenant_id, ${runCallRows.columns})
      values (:tenantId, ${named(runCallRows.columns)})`),
  }
}
