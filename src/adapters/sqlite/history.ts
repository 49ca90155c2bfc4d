import type { Database, Statement } from 'better-sqlite3'
import type { HistoryStore } from '../../ports/history-store.ts'
import {
  type EndedRow,
  type ExpiredRow,
  type JobAgeRow,
  type RunAgeRow,
  toEnded,
  toJobAge,
  toRunAge,
} from '../sql/history-rows.ts'

export function createHistoryStore(
  reader: Database,
  writer: Database,
  answer: <T>(work: () => T) => Promise<T>,
): HistoryStore {
  const sql = prepare(reader, writer)
  return {
    expired: (query) =>
      answer(() =>
        (sql.expired.all(query) as ExpiredRow[]).map((row) => ({ memoryRef: row.memory_ref, entryId: row.entry_id })),
      ),
    ended: ({ after, ...query }) =>
      answer(() => {
        const from = after ?? { endedPosition: -1, entryId: '', version: 0 }
        return (sql.ended.all({ ...query, ...from }) as EndedRow[]).map(toEnded)
      }),
    oldestSnapshot: (tenantId, madeAfter) =>
      answer(() => (sql.oldestSnapshot.get(tenantId, madeAfter) as number | undefined) ?? null),
    runs: ({ tenantId, after, limit }) =>
      answer(() => (sql.runs.all(tenantId, after ?? '', limit) as RunAgeRow[]).map(toRunAge)),
    jobs: ({ tenantId, after, limit }) =>
      answer(() => (sql.jobs.all(tenantId, after ?? '', limit) as JobAgeRow[]).map(toJobAge)),
    removeJobs: (tenantId, jobIds) => answer(() => sql.removeJobs.run(tenantId, JSON.stringify(jobIds)).changes),
    removeOutcomes: (query) => answer(() => sql.removeOutcomes.run(query).changes),
  }
}

/** Commits ask the same under their lock. */
export function prepareOldestSnapshot(db: Database): Statement {
  return db
    .prepare(`
      select snapshot_position
        from run
       where tenant_id = ?
         and ended_at is null
         and created_at > ?
       order by snapshot_position
       limit 1`)
    .pluck()
}

function prepare(reader: Database, writer: Database) {
  return {
    expired: reader.prepare(`
      select memory_ref, entry_id
        from entry_version indexed by entry_live_by_expiry
       where tenant_id = :tenantId
         and expires_at <= :now
         and ended_position is null
         and expires_at is not null
       order by expires_at
       limit +:limit`),
    ended: reader.prepare(`
      select v.memory_ref, v.entry_id, v.version, v.ended_position, v.ended_reason,
             (select max(n.version) from entry_version n where n.tenant_id = :tenantId and n.entry_id = v.entry_id) as newest_version
        from entry_version v indexed by entry_version_by_end
       where v.tenant_id = :tenantId
         and v.ended_position is not null
         and v.ended_position <= :upTo
         and (v.ended_position, v.entry_id, v.version) > (:endedPosition, :entryId, :version)
       order by v.ended_position, v.entry_id, v.version
       limit +:limit`),
    oldestSnapshot: prepareOldestSnapshot(reader),
    runs: reader.prepare(`
      select run_id, created_at, ended_at, next_sequence, snapshot_position
        from run
       where tenant_id = ?
         and run_id > ?
       order by run_id
       limit +?`),
    jobs: reader.prepare(`
      select job_id, kind, status, created_at, ended_at
        from job
       where tenant_id = ?
         and job_id > ?
       order by job_id
       limit +?`),
    removeJobs: writer.prepare(`
      delete from job
       where tenant_id = ?
         and job_id in (select value from json_each(?))
         and status not in ('queued', 'leased')`),
    removeOutcomes: writer.prepare(`
      delete from idempotency
       where tenant_id = :tenantId
         and key in (
           select key
             from idempotency
            where tenant_id = :tenantId
              and created_at <= :before
            order by created_at
            limit +:limit)`),
  }
}
