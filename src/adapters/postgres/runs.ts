import type { SealedRun } from '../../core/run/run.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { Row } from '../sql/row-codec.ts'
import {
  afterEveryId,
  type RunLogStatusRow,
  type RunRow,
  type RunSummaryRow,
  runCallRows,
  runColumns,
  runEventRows,
  runSummaryColumns,
  toMemoryCall,
  toRun,
  toRunCallRow,
  toRunEvent,
  toRunLogStatus,
  toRunRow,
  toRunSummary,
  toStoredEvent,
} from '../sql/run-rows.ts'
import { query, type Send, statement, tenantOfCall } from './connection.ts'
import type { Database } from './database.ts'
import { readSequences } from './followed.ts'

/** Writes rows of runs inside a transaction. Of a run that took several steps in the group, the last state is stored. */
export function saveRuns(send: Send, tenantId: string, sealed: readonly SealedRun[]): Promise<unknown>[] {
  if (sealed.length === 0) return []
  const last = new Map(sealed.map(({ run }) => [run.runId, run]))
  const events = sealed.flatMap(({ run, events }) =>
    events.map((event) => runEventRows.toRow(toStoredEvent(run.runId, event))),
  )
  const calls = sealed.flatMap(({ run, calls }) => calls.map((call) => toRunCallRow(run.runId, call)))
  const sent: Promise<unknown>[] = [send(sql.save, [tenantId, JSON.stringify([...last.values()].map(toRunRow))])]
  if (events.length > 0) sent.push(send(sql.insertEvents, [tenantId, JSON.stringify(events)]))
  const rewritten = sealed.flatMap(({ run, rewritten }) =>
    rewritten.map(({ sequence, payload }) => ({ run_id: run.runId, sequence, payload: JSON.stringify(payload) })),
  )
  if (rewritten.length > 0) sent.push(send(sql.rewriteEvents, [tenantId, JSON.stringify(rewritten)]))
  const shortened = sealed.flatMap(({ run, shortened }) =>
    shortened.map(({ ordinal, memoryRef, entries, forgotten }) => ({
      run_id: run.runId,
      ordinal,
      memory_ref: memoryRef,
      entries: JSON.stringify(entries),
      forgotten,
    })),
  )
  if (shortened.length > 0) sent.push(send(sql.shortenCalls, [tenantId, JSON.stringify(shortened)]))
  if (calls.length > 0) sent.push(send(sql.insertCalls, [tenantId, JSON.stringify(calls)]))
  return sent
}

/** Deletes runs with everything that is recorded of them. */
export function removeRuns(send: Send, tenantId: string, runIds: readonly string[]): Promise<unknown>[] {
  if (runIds.length === 0) return []
  return [sql.removeCalls, sql.removeEvents, sql.remove].map((removal) => send(removal, [tenantId, runIds]))
}

export function createRunStore(database: Database): RunStore {
  return {
    async get(tenantId, runId) {
      const [row] = await query<RunRow>(database, sql.get, [tenantId, runId])
      return row ? toRun(row) : null
    },
    async logStatus(tenantId, runId) {
      const [row] = await query<RunLogStatusRow>(database, sql.standing, [tenantId, runId])
      return row ? toRunLogStatus(row) : null
    },
    async list({ tenantId, status, workflowId, after, limit }) {
      const page = [tenantId, after ?? afterEveryId, limit]
      const rows =
        workflowId !== null
          ? query<RunSummaryRow>(database, sql.listOfWorkflow, [...page, workflowId, status])
          : status === null
            ? query<RunSummaryRow>(database, sql.list, page)
            : query<RunSummaryRow>(database, sql.listInStatus, [...page, status])
      return (await rows).map(toRunSummary)
    },
    async events({ tenantId, runId, from, limit }) {
      return (await query<Row>(database, sql.events, [tenantId, runId, from, limit])).map(toRunEvent)
    },
    async calls({ tenantId, runId, from, limit }) {
      return (await query<Row>(database, sql.calls, [tenantId, runId, from, limit])).map(toMemoryCall)
    },
    async scanCalls({ tenantId, after, limit }) {
      const from = after ?? { runId: '', ordinal: 0 }
      const rows = await query<Row>(database, sql.scanCalls, [tenantId, from.runId, from.ordinal, limit])
      return rows.map((row) => ({ runId: String(row.run_id), ...toMemoryCall(row) }))
    },
    sequences: (runs) => readSequences(database, runs),
  }
}

const page = `
        and run_id < $2
      order by run_id desc
      limit $3`

const sql = {
  removeCalls: statement('remove_run_calls', 'delete from run_call where tenant_id = $1 and run_id = any($2)'),
  removeEvents: statement('remove_run_events', 'delete from run_event where tenant_id = $1 and run_id = any($2)'),
  remove: statement('remove_runs', 'delete from run where tenant_id = $1 and run_id = any($2)'),
  // What a run is stays: its workflow, its scope, its snapshot.
  save: statement(
    'save_runs',
    `insert into run (tenant_id, ${runColumns})
     select c.tenant_id, ${runColumns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (
              run_id text, workflow_id text, workflow_version bigint, status text, revision bigint, next_sequence bigint,
              snapshot_position bigint, snapshot_at bigint, scope_id text, parent_run_id text, source_run_id text, tags text, created_at bigint, updated_at bigint,
              ended_at bigint, facts text, text text)
         on conflict (tenant_id, run_id) do update
        set status = excluded.status, revision = excluded.revision, next_sequence = excluded.next_sequence,
            updated_at = excluded.updated_at, ended_at = excluded.ended_at, tags = excluded.tags,
            facts = excluded.facts, text = excluded.text`,
  ),
  insertEvents: statement(
    'insert_run_events',
    `insert into run_event (tenant_id, ${runEventRows.columns})
     select c.tenant_id, ${runEventRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${runEventRows.types})`,
  ),
  rewriteEvents: statement(
    'rewrite_run_events',
    `update run_event e
        set payload = r.payload
       from json_to_recordset($2::json) as r (run_id text, sequence bigint, payload text)
      where e.tenant_id = $1
        and e.run_id = r.run_id
        and e.sequence = r.sequence`,
  ),
  insertCalls: statement(
    'insert_run_calls',
    `insert into run_call (tenant_id, ${runCallRows.columns})
     select c.tenant_id, ${runCallRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${runCallRows.types})`,
  ),
  shortenCalls: statement(
    'shorten_run_calls',
    `update run_call c
        set memory_ref = r.memory_ref, entries = r.entries, forgotten = r.forgotten
       from json_to_recordset($2::json) as r (
              run_id text, ordinal bigint, memory_ref text, entries text, forgotten bigint)
      where c.tenant_id = $1
        and c.run_id = r.run_id
        and c.ordinal = r.ordinal`,
  ),
  scanCalls: statement(
    'scan_run_calls',
    `select ${runCallRows.columns}
       from run_call
      where tenant_id = $1
        and (run_id, ordinal) > ($2, $3)
      order by run_id, ordinal
      limit $4`,
  ),
  get: statement(
    'run',
    `select ${runColumns}
       from run
      where tenant_id = $1
        and run_id = $2`,
  ),
  standing: statement('run_standing', 'select status, next_sequence from run where tenant_id = $1 and run_id = $2'),
  list: statement(
    'list_runs',
    `select ${runSummaryColumns}
       from run
      where tenant_id = $1${page}`,
  ),
  listInStatus: statement(
    'list_runs_in_status',
    `select ${runSummaryColumns}
       from run
      where tenant_id = $1
        and status = $4${page}`,
  ),
  listOfWorkflow: statement(
    'list_runs_of_workflow',
    `select ${runSummaryColumns}
       from run
      where tenant_id = $1
        and workflow_id = $4
        and ($5::text is null or status = $5)${page}`,
  ),
  events: statement(
    'run_events',
    `select ${runEventRows.columns}
       from run_event
      where tenant_id = $1
        and run_id = $2
        and sequence >= $3
      order by sequence
      limit $4`,
  ),
  calls: statement(
    'run_calls',
    `select ${runCallRows.columns}
       from run_call
      where tenant_id = $1
        and run_id = $2
        and ordinal >= $3
      order by ordinal
      limit $4`,
  ),
}
