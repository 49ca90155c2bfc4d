import { type CountedTable, countedTables } from '../../core/quotas/stored-bytes.ts'
import type { PendingWork, StatsStore } from '../../ports/stats-store.ts'
import { countedPage, isNumber, keyBefore, toCountedPage, versionBytes } from '../sql/counted-columns.ts'
import {
  type CountRow,
  type GrowthRow,
  type LiveRow,
  redactionsMark,
  type SpanRow,
  type TotalRow,
  toCounts,
  toHostStats,
  toStoredGrowth,
  type WaitingRow,
} from '../sql/stats-rows.ts'
import { query, type SqlStatement, statement } from './connection.ts'
import type { Database } from './database.ts'

export function createStatsStore(database: Database): StatsStore {
  return {
    async read({ tenantId, now, expiringBefore, countMax, afterPosition, spanMs }) {
      const [live, runs, jobs, contested, events, activity, hits] = await Promise.all([
        query<LiveRow>(database, sql.live, [tenantId, now, expiringBefore, countMax]),
        query<CountRow>(database, sql.runs, [tenantId]),
        query<CountRow>(database, sql.jobs, [tenantId]),
        query<TotalRow>(database, sql.contested, [tenantId]),
        query<TotalRow>(database, sql.events, [tenantId]),
        query<SpanRow>(database, sql.activity, [tenantId, afterPosition, spanMs, redactionsMark]),
        query<CountRow>(database, sql.hits, [tenantId, afterPosition, redactionsMark]),
      ])
      return {
        entries: live[0]?.entries ?? 0,
        refs: live[0]?.refs ?? 0,
        expiring: live[0]?.expiring ?? 0,
        runs: toCounts(runs),
        jobs: toCounts(jobs),
        contestedClaims: contested[0]?.count ?? 0,
        sourceEvents: events[0]?.count ?? 0,
        redactions: toCounts(hits),
        activity,
      }
    },
    async growth({ tenantId, after, to }) {
      const [row] = await query<GrowthRow>(database, sql.growth, [tenantId, after, to])
      return toStoredGrowth(row)
    },
    async bytes({ tenantId, table, after, limit }) {
      const rows = await query<Parameters<typeof toCountedPage>[1][number]>(database, pages[table], [
        tenantId,
        ...(after ?? keyBefore(table)),
        limit,
      ])
      return toCountedPage(table, rows, limit)
    },
    async pending({ tenantId, countMax }) {
      const [row] = await query<PendingWork>(database, sql.pending, [tenantId, countMax])
      return { runs: row?.runs ?? 0, jobs: row?.jobs ?? 0 }
    },
    async readHost({ now, countMax }) {
      const [waiting, dead, runs] = await Promise.all([
        query<WaitingRow>(database, sql.hostWaiting, [now, countMax]),
        query<TotalRow>(database, sql.hostDead, [countMax]),
        query<CountRow>(database, sql.hostRuns, [countMax]),
      ])
      return toHostStats(waiting[0], dead[0], runs)
    },
  }
}

const sql = {
  // Each uses an index of only such rows, and reads no more of them than are counted.
  hostWaiting: statement(
    'stats_host_waiting',
    `select count(*) as waiting, count(*) filter (where status = 'queued' and due_at <= $1) as due,
            min(due_at) filter (where status = 'queued' and due_at <= $1) as oldest
       from (select status, due_at from job where status in ('queued', 'leased') limit $2) as counted`,
    { isAcrossTenants: true },
  ),
  hostDead: statement(
    'stats_host_dead',
    `select count(*) as count from (select 1 from job where status = 'dead' limit $1) as counted`,
    { isAcrossTenants: true },
  ),
  hostRuns: statement(
    'stats_host_runs',
    `select status as name, count(*) as count
       from (select status from run where ended_at is null limit $1) as counted
      group by status`,
    { isAcrossTenants: true },
  ),
  // The size of a long text is known without reading it. `>= 0` names the indexes.
  growth: statement(
    'stats_growth',
    `select r.recorded, r.bytes, e.ended
       from (select count(*) as recorded, sum(${versionBytes})::bigint as bytes
               from entry_version
              where tenant_id = $1
                and recorded_position >= 0
                and recorded_position > $2
                and recorded_position <= $3) as r,
            (select count(*) as ended
               from entry_version
              where tenant_id = $1
                and ended_position >= 0
                and ended_position > $2
                and ended_position <= $3) as e`,
  ),
  pending: statement(
    'stats_pending',
    `select (select count(*)
               from (select 1 from run where tenant_id = $1 and ended_at is null limit $2) as counted) as runs,
            (select count(*)
               from (select 1 from job where tenant_id = $1 and status in ('queued', 'leased') limit $2) as counted) as jobs`,
  ),
  live: statement(
    'stats_live',
    `select count(*) as entries, count(distinct memory_ref) as refs, count(*) filter (where expires_at < $3) as expiring
       from (select memory_ref, expires_at
               from entry_version
              where tenant_id = $1
                and ended_position is null
                and (expires_at is null or expires_at > $2)
              limit $4) as live`,
  ),
  runs: statement(
    'stats_runs',
    'select status as name, count(*) as count from run where tenant_id = $1 group by status',
  ),
  jobs: statement(
    'stats_jobs',
    'select status as name, count(*) as count from job where tenant_id = $1 group by status',
  ),
  contested: statement(
    'stats_contested',
    'select count(*) as count from claim where tenant_id = $1 and is_contested = 1',
  ),
  events: statement('stats_events', 'select count(*) as count from source_event where tenant_id = $1'),
  hits: statement(
    'stats_hits',
    `select found ->> 'rule' as name, sum((found ->> 'count')::bigint)::bigint as count
       from audit, jsonb_array_elements(audit.body::jsonb -> 'redactions') as found
      where audit.tenant_id = $1
        and audit.position > $2
        and strpos(audit.body, $3::text) > 0
      group by 1`,
  ),
  activity: statement(
    'stats_activity',
    `select at - at % $3::bigint as at, count(*) as changes, count(*) filter (where strpos(body, $4::text) > 0) as redacted
       from audit
      where tenant_id = $1
        and audit.position > $2
      group by 1
      order by 1`,
  ),
}

const pages = Object.fromEntries(
  countedTables.map((table) => {
    const parameter = (nth: number, column: string) => (isNumber(column) ? `$${nth}::bigint` : `$${nth}`)
    return [table, statement(`counted_${table.toLowerCase()}`, countedPage(table, parameter))]
  }),
) as Record<CountedTable, SqlStatement>
