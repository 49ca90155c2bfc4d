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
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'

export function createHistoryStore(database: Database): HistoryStore {
  return {
    async expired({ tenantId, now, limit }) {
      const rows = await query<ExpiredRow>(database, sql.expired, [tenantId, now, limit])
      return rows.map((row) => ({ memoryRef: row.memory_ref, entryId: row.entry_id }))
    },
    async ended({ tenantId, upTo, after, limit }) {
      const { endedPosition, entryId, version } = after ?? { endedPosition: -1, entryId: '', version: 0 }
      const values = [tenantId, upTo, endedPosition, entryId, version, limit]
      return (await query<EndedRow>(database, sql.ended, values)).map(toEnded)
    },
    async oldestSnapshot(tenantId, madeAfter) {
      const [row] = await query<{ oldest: number | null }>(database, sql.oldestSnapshot, [tenantId, madeAfter])
      return row?.oldest ?? null
    },
    async runs({ tenantId, after, limit }) {
      return (await query<RunAgeRow>(database, sql.runs, [tenantId, after ?? '', limit])).map(toRunAge)
    },
    async jobs({ tenantId, after, limit }) {
      return (await query<JobAgeRow>(database, sql.jobs, [tenantId, after ?? '', limit])).map(toJobAge)
    },
    async removeJobs(tenantId, jobIds) {
      return (await query(database, sql.removeJobs, [tenantId, jobIds])).length
    },
    async removeOutcomes({ tenantId, before, limit }) {
      return (await query(database, sql.removeOutcomes, [tenantId, before, limit])).length
    },
  }
}

const sql = {
  expired: statement(
    'expired_entries',
    `select memory_ref, entry_id
       from entry_version
      where tenant_id = $1
        and expires_at <= $2
        and ended_position is null
        and expires_at is not null
      order by expires_at
      limit $3`,
  ),
  ended: statement(
    'ended_versions',
    `select v.memory_ref, v.entry_id, v.version, v.ended_position, v.ended_reason, n.newest_version
       from (select memory_ref, entry_id, version, ended_position, ended_reason
               from entry_version
              where tenant_id = $1
                and ended_position >= 0
                and ended_position <= $2
                and (ended_position, entry_id, version) > ($3, $4, $5)
              order by ended_position, entry_id, version
              limit $6) v
      cross join lateral (
        select max(version) as newest_version
          from entry_version
         where tenant_id = $1
           and entry_id = v.entry_id) n
      order by v.ended_position, v.entry_id, v.version`,
  ),
  oldestSnapshot: statement(
    'oldest_snapshot',
    `select min(snapshot_position) as oldest
       from run
      where tenant_id = $1
        and ended_at is null
        and created_at > $2`,
  ),
  runs: statement(
    'oldest_runs',
    `select run_id, created_at, ended_at, next_sequence, snapshot_position
       from run
      where tenant_id = $1
        and run_id > $2
      order by run_id
      limit $3`,
  ),
  jobs: statement(
    'oldest_jobs',
    `select job_id, kind, status, created_at, ended_at
       from job
      where tenant_id = $1
        and job_id > $2
      order by job_id
      limit $3`,
  ),
  removeJobs: statement(
    'remove_jobs',
    `delete from job
      where tenant_id = $1
        and job_id = any($2)
        and status not in ('queued', 'leased')
      returning 1`,
  ),
  removeOutcomes: statement(
    'remove_outcomes',
    `delete from idempotency
      where tenant_id = $1
        and key in (
          select key
            from idempotency
           where tenant_id = $1
             and created_at <= $2
           order by created_at
           limit $3)
      returning 1`,
  ),
}
