import type { Database, Statement } from 'better-sqlite3'
import { type CountedTable, countedTables } from '../../core/quotas/stored-bytes.ts'
import type { PendingWork, StatsStore } from '../../ports/stats-store.ts'
import { countedPage, keyBefore, toCountedPage, versionBytes } from '../sql/counted-columns.ts'
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
import type { Scans } from './scans.ts'

/** Each examines all such rows of the tenant. */
const sql = {
  // The size of a long text is known without reading it.
  growth: `
    select r.recorded, r.bytes, e.ended
      from (select count(*) as recorded, sum(${versionBytes}) as bytes
              from entry_version
             where tenant_id = :tenantId
               and recorded_position > :after
               and recorded_position <= :to) r,
           (select count(*) as ended
              from entry_version
             where tenant_id = :tenantId
               and ended_position > :after
               and ended_position <= :to) e`,
  live: `
    select count(*) as entries, count(distinct memory_ref) as refs, sum(expires_at < :expiringBefore) as expiring
      from (select memory_ref, expires_at
              from entry_version
             where tenant_id = :tenantId
               and ended_position is null
               and (expires_at is null or expires_at > :now)
             limit +:countMax)`,
  runs: 'select status as name, count(*) as count from run where tenant_id = :tenantId group by status',
  jobs: 'select status as name, count(*) as count from job where tenant_id = :tenantId group by status',
  contested: 'select count(*) as count from claim where tenant_id = :tenantId and is_contested = 1',
  events: 'select count(*) as count from source_event where tenant_id = :tenantId',
  activity: `
    select at - at % :spanMs as at, count(*) as changes, sum(instr(body, :mark) > 0) as redacted
      from audit
     where tenant_id = :tenantId
       and position > :afterPosition
     group by 1
     order by 1`,
  redactions: `
    select json_extract(found.value, '$.rule') as name, sum(json_extract(found.value, '$.count')) as count
      from audit, json_each(audit.body, '$.redactions') as found
     where audit.tenant_id = :tenantId
       and audit.position > :afterPosition
       and instr(audit.body, :mark) > 0
     group by 1`,
}

export function createStatsStore(db: Database, scans: Scans, answer: <T>(work: () => T) => Promise<T>): StatsStore {
  // Each uses an index of only such rows, and reads no more of them than are counted.
  const waiting = db.prepare(`
    select count(*) as waiting, sum(status = 'queued' and due_at <= :now) as due,
           min(case when status = 'queued' and due_at <= :now then due_at end) as oldest
      from (select status, due_at from job where status in ('queued', 'leased') limit +:countMax)`)
  const dead = db.prepare(`select count(*) as count from (select 1 from job where status = 'dead' limit +?)`)
  const active = db.prepare(`
    select status as name, count(*) as count
      from (select status from run where ended_at is null limit +?)
     group by status`)
  const pending = db.prepare(`
    select (select count(*)
              from (select 1 from run where tenant_id = :tenantId and ended_at is null limit +:countMax)) as runs,
           (select count(*)
              from (select 1
                      from job
                     where tenant_id = :tenantId
                       and status in ('queued', 'leased')
                     limit +:countMax)) as jobs`)
  const pages = Object.fromEntries(
    countedTables.map((table) => [table, db.prepare(countedPage(table, () => '?'))]),
  ) as Record<CountedTable, Statement>
  const total = (row: unknown) => (row as TotalRow).count
  return {
    async read({ tenantId, now, expiringBefore, countMax, afterPosition, spanMs }) {
      const changes = { tenantId, afterPosition, mark: redactionsMark }
      const [live, runs, jobs, contested, events, redactions, activity] = await scans.read([
        { sql: sql.live, params: { tenantId, now, expiringBefore, countMax } },
        { sql: sql.runs, params: { tenantId } },
        { sql: sql.jobs, params: { tenantId } },
        { sql: sql.contested, params: { tenantId } },
        { sql: sql.events, params: { tenantId } },
        { sql: sql.redactions, params: changes },
        { sql: sql.activity, params: { ...changes, spanMs } },
      ])
      const counted = live?.[0] as LiveRow
      return {
        entries: counted.entries,
        refs: counted.refs,
        expiring: counted.expiring ?? 0,
        runs: toCounts(runs as CountRow[]),
        jobs: toCounts(jobs as CountRow[]),
        contestedClaims: total(contested?.[0]),
        sourceEvents: total(events?.[0]),
        redactions: toCounts(redactions as CountRow[]),
        activity: activity as SpanRow[],
      }
    },
    async growth(range) {
      const [rows] = await scans.read([{ sql: sql.growth, params: range }])
      return toStoredGrowth(rows?.[0] as GrowthRow)
    },
    bytes: ({ tenantId, table, after, limit }) =>
      answer(() => {
        const rows = pages[table].all(tenantId, ...(after ?? keyBefore(table)), limit)
        return toCountedPage(table, rows as Parameters<typeof toCountedPage>[1], limit)
      }),
    pending: (query) => answer(() => pending.get(query) as PendingWork),
    readHost: ({ now, countMax }) =>
      answer(() =>
        toHostStats(
          waiting.get({ now, countMax }) as WaitingRow,
          dead.get(countMax) as TotalRow,
          active.all(countMax) as CountRow[],
        ),
      ),
  }
}
