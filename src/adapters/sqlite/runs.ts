import type { Database } from 'better-sqlite3'
import { type RunHead, runKeyOf, type SealedRun } from '../../core/run/run.ts'
import type { RunListQuery, RunStore } from '../../ports/run-store.ts'
import type { Row } from '../sql/row-codec.ts'
import {
  afterEveryId,
  type RunHeadRow,
  type RunRow,
  type RunStandingRow,
  type RunSummaryRow,
  runCallRows,
  runColumns,
  runEventRows,
  runHeadColumns,
  runSummaryColumns,
  toMemoryCall,
  toRun,
  toRunCallRow,
  toRunEvent,
  toRunHead,
  toRunRow,
  toRunStanding,
  toRunSummary,
} from '../sql/run-rows.ts'

/** The rows of runs as the committer needs them: inside a transaction that is already open. */
export type RunTable = ReturnType<typeof createRunTable>

export function createRunTable(db: Database) {
  const sql = prepareWrites(db)
  return {
    head(tenantId: string, runId: string): RunHead | undefined {
      const row = sql.head.get(tenantId, runId) as RunHeadRow | undefined
      return row && toRunHead(row)
    },
    activeInScope(tenantId: string, scopeId: string): string | undefined {
      return sql.activeInScope.get(tenantId, scopeId) as string | undefined
    },
    oldestSnapshot(tenantId: string, madeAfter: number): number | null {
      return (sql.oldestSnapshot.get(tenantId, madeAfter) as number | undefined) ?? null
    },
    remove(tenantId: string, runId: string): void {
      for (const statement of sql.remove) statement.run(tenantId, runId)
    },
    save(tenantId: string, { run, isNew, events, calls, rewritten, shortened }: SealedRun): void {
      const row = { tenantId, ...toRunRow(run) }
      if (isNew) sql.insert.run(row)
      else {
        sql.update.run(row)
        sql.move.run(row)
      }
      for (const event of events)
        sql.insertEvent.run({ tenantId, ...runEventRows.toRow({ ...event, runId: run.runId }) })
      for (const { sequence, payload } of rewritten)
        sql.rewriteEvent.run(JSON.stringify(payload), tenantId, run.runId, sequence)
      for (const { ordinal, memoryRef, entries, forgotten } of shortened)
        sql.shorten.run(memoryRef, JSON.stringify(entries), forgotten, tenantId, run.runId, ordinal)
      for (const call of calls) sql.insertCall.run({ tenantId, ...toRunCallRow(run.runId, call) })
    },
  }
}

export function createRunStore(db: Database, answer: <T>(work: () => T) => Promise<T>): RunStore {
  const sql = prepareReads(db)
  const list = ({ status, workflowId, after, ...query }: RunListQuery): RunSummaryRow[] => {
    const page = { ...query, after: after ?? afterEveryId }
    if (workflowId !== null) return sql.listOfWorkflow.all({ ...page, workflowId, status }) as RunSummaryRow[]
    return (status === null ? sql.list.all(page) : sql.listInStatus.all({ ...page, status })) as RunSummaryRow[]
  }
  return {
    get: (tenantId, runId) =>
      answer(() => {
        const row = sql.get.get(tenantId, runId) as RunRow | undefined
        return row ? toRun(row) : null
      }),
    standing: (tenantId, runId) =>
      answer(() => {
        const row = sql.standing.get(tenantId, runId) as RunStandingRow | undefined
        return row ? toRunStanding(row) : null
      }),
    list: (query) => answer(() => list(query).map(toRunSummary)),
    events: (query) => answer(() => (sql.events.all(query) as Row[]).map(toRunEvent)),
    calls: (query) => answer(() => (sql.calls.all(query) as Row[]).map(toMemoryCall)),
    scanCalls: ({ after, ...query }) =>
      answer(() => {
        const from = after ?? { runId: '', ordinal: 0 }
        const rows = sql.scanCalls.all({ ...query, ...from }) as Row[]
        return rows.map((row) => ({ runId: String(row.run_id), ...toMemoryCall(row) }))
      }),
    sequences: (runs) =>
      answer(
        () =>
          new Map(
            runs.flatMap(({ tenantId, runId }) => {
              const sequence = sql.sequence.get(tenantId, runId) as number | undefined
              return sequence === undefined ? [] : [[runKeyOf(tenantId, runId), sequence] as const]
            }),
          ),
      ),
  }
}

const named = (columns: string) => columns.replace(/\w+/g, ':$&')

function prepareWrites(db: Database) {
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
    oldestSnapshot: db
      .prepare(`
      select snapshot_position
        from run
       where tenant_id = ?
         and ended_at is null
         and created_at > ?
       order by snapshot_position
       limit 1`)
      .pluck(),
    remove: ['run_call', 'run_event', 'run'].map((table) =>
      db.prepare(`delete from ${table} where tenant_id = ? and run_id = ?`),
    ),
    insert: db.prepare(`
      insert into run (tenant_id, ${runColumns})
      values (:tenantId, ${named(runColumns)})`),
    // What a run is stays: its workflow, its scope, its snapshot. So a step touches no index.
    update: db.prepare(`
      update run
         set revision = :revision, next_sequence = :next_sequence, updated_at = :updated_at, tags = :tags, facts = :facts,
             text = :text
       where tenant_id = :tenantId
         and run_id = :run_id`),
    // By itself, because SQLite rewrites an index whenever a statement names its column, also with the same value.
    move: db.prepare(`
      update run
         set status = :status, ended_at = :ended_at
       where tenant_id = :tenantId
         and run_id = :run_id
         and (status <> :status or ended_at is not :ended_at)`),
    insertEvent: db.prepare(`
      insert into run_event (tenant_id, ${runEventRows.columns})
      values (:tenantId, ${named(runEventRows.columns)})`),
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

function prepareReads(db: Database) {
  const page = `
         and run_id < :after
       order by run_id desc
       limit :limit`
  return {
    get: db.prepare(`
      select ${runColumns}
        from run
       where tenant_id = ?
         and run_id = ?`),
    list: db.prepare(`
      select ${runSummaryColumns}
        from run
       where tenant_id = :tenantId${page}`),
    listInStatus: db.prepare(`
      select ${runSummaryColumns}
        from run indexed by run_by_status
       where tenant_id = :tenantId
         and status = :status${page}`),
    listOfWorkflow: db.prepare(`
      select ${runSummaryColumns}
        from run indexed by run_by_workflow
       where tenant_id = :tenantId
         and workflow_id = :workflowId
         and (:status is null or status = :status)${page}`),
    events: db.prepare(`
      select ${runEventRows.columns}
        from run_event
       where tenant_id = :tenantId
         and run_id = :runId
         and sequence >= :from
       order by sequence
       limit :limit`),
    calls: db.prepare(`
      select ${runCallRows.columns}
        from run_call
       where tenant_id = :tenantId
         and run_id = :runId
         and ordinal >= :from
       order by ordinal
       limit :limit`),
    scanCalls: db.prepare(`
      select ${runCallRows.columns}
        from run_call
       where tenant_id = :tenantId
         and (run_id, ordinal) > (:runId, :ordinal)
       order by run_id, ordinal
       limit :limit`),
    standing: db.prepare('select status, next_sequence from run where tenant_id = ? and run_id = ?'),
    sequence: db.prepare('select next_sequence from run where tenant_id = ? and run_id = ?').pluck(),
  }
}
