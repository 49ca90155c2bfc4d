import type { Database } from 'better-sqlite3'
import { runKeyOf } from '../../core/run/run.ts'
import type { RunListQuery, RunStore } from '../../ports/run-store.ts'
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
  toRunEvent,
  toRunLogStatus,
  toRunSummary,
} from '../sql/run-rows.ts'

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
    logStatus: (tenantId, runId) =>
      answer(() => {
        const row = sql.standing.get(tenantId, runId) as RunLogStatusRow | undefined
        return row ? toRunLogStatus(row) : null
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

function prepareReads(db: Database) {
  const page = `
         and run_id < :after
       order by run_id desc
       limit +:limit`
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
       limit +:limit`),
    calls: db.prepare(`
      select ${runCallRows.columns}
        from run_call
       where tenant_id = :tenantId
         and run_id = :runId
         and ordinal >= :from
       order by ordinal
       limit +:limit`),
    scanCalls: db.prepare(`
      select ${runCallRows.columns}
        from run_call
       where tenant_id = :tenantId
         and (run_id, ordinal) > (:runId, :ordinal)
       order by run_id, ordinal
       limit +:limit`),
    standing: db.prepare('select status, next_sequence from run where tenant_id = ? and run_id = ?'),
    sequence: db.prepare('select next_sequence from run where tenant_id = ? and run_id = ?').pluck(),
  }
}
