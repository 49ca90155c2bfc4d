import type { Database } from 'better-sqlite3'
import type { StatsStore } from '../../ports/stats-store.ts'
import {
  type CountRow,
  type LiveRow,
  redactionsMark,
  type SpanRow,
  type TotalRow,
  toCounts,
  toHostStats,
  type WaitingRow,
} from '../sql/stats-rows.ts'

export function createStatsStore(db: Database, answer: <T>(work: () => T) => Promise<T>): StatsStore {
  const live = db.prepare(`
    select count(*) as entries, count(distinct memory_ref) as refs, sum(expires_at < :expiringBefore) as expiring
      from (select memory_ref, expires_at
              from entry_version
             where tenant_id = :tenantId
               and ended_position is null
               and (expires_at is null or expires_at > :now)
             limit +:countMax)`)
  const runs = db.prepare('select status as name, count(*) as count from run where tenant_id = ? group by status')
  const jobs = db.prepare('select status as name, count(*) as count from job where tenant_id = ? group by status')
  const contested = db.prepare('select count(*) as count from claim where tenant_id = ? and is_contested = 1')
  const events = db.prepare('select count(*) as count from source_event where tenant_id = ?')
  const activity = db.prepare(`
    select at - at % :spanMs as at, count(*) as changes, sum(instr(body, :mark) > 0) as redacted
      from audit
     where tenant_id = :tenantId
       and position > :afterPosition
     group by 1
     order by 1`)
  const hits = db.prepare(`
    select json_extract(found.value, '$.rule') as name, sum(json_extract(found.value, '$.count')) as count
      from audit, json_each(audit.body, '$.redactions') as found
     where audit.tenant_id = :tenantId
       and audit.position > :afterPosition
       and instr(audit.body, :mark) > 0
     group by 1`)
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
  const total = (row: unknown) => (row as TotalRow).count
  return {
    read: ({ tenantId, now, expiringBefore, countMax, afterPosition, spanMs }) =>
      answer(() => {
        const counted = live.get({ tenantId, now, expiringBefore, countMax }) as LiveRow
        return {
          entries: counted.entries,
          refs: counted.refs,
          expiring: counted.expiring ?? 0,
          runs: toCounts(runs.all(tenantId) as CountRow[]),
          jobs: toCounts(jobs.all(tenantId) as CountRow[]),
          contestedClaims: total(contested.get(tenantId)),
          sourceEvents: total(events.get(tenantId)),
          redactions: toCounts(hits.all({ tenantId, afterPosition, mark: redactionsMark }) as CountRow[]),
          activity: activity.all({ tenantId, afterPosition, spanMs, mark: redactionsMark }) as SpanRow[],
        }
      }),
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
