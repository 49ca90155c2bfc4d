import type { Database } from 'better-sqlite3'
import { ColophonError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs/job.ts'
import { neverDue } from '../../core/jobs/schedule.ts'
import { deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { JobStore } from '../../ports/job-store.ts'
import type { Row } from '../sql/row-codec.ts'
import { jobRows, scheduleRows } from '../sql/rows.ts'
import type { TotalRow } from '../sql/stats-rows.ts'
import { withStorageErrors } from './errors.ts'
import { unflushed } from './unflushed.ts'

/** The job rows as the committer needs them: inside a transaction that is already open. */
export type JobTable = ReturnType<typeof createJobTable>

export function createJobTable(db: Database) {
  const load = db.prepare(`select ${jobRows.columns} from job where tenant_id = ? and job_id = ?`)
  const save = db.prepare(`
    insert into job (tenant_id, ${jobRows.columns})
    values (?, ${jobRows.columns.replace(/\w+/g, '?')})
        on conflict (tenant_id, job_id) do update
       set status = excluded.status, due_at = excluded.due_at, payload = excluded.payload, attempts = excluded.attempts,
           lost_leases = excluded.lost_leases, lease_token = excluded.lease_token, worker = excluded.worker,
           progress = excluded.progress, error = excluded.error, result = excluded.result,
           started_at = excluded.started_at, ended_at = excluded.ended_at, trace = excluded.trace`)
  const announce = db.prepare(`
    insert into job_ready (tenant_id, due_at, turn)
    values (?, ?, 0)
        on conflict (tenant_id) do update
       set due_at = excluded.due_at
     where excluded.due_at < due_at`)
  return {
    load(tenantId: string, jobId: string): Job | null {
      const row = load.get(tenantId, jobId) as Row | undefined
      return row ? jobRows.fromRow(row) : null
    },
    save(tenantId: string, job: Job): void {
      save.run(tenantId, jobRows.toValues(job))
      // A row that announces too early costs one empty query; one that announces too late would lose the job.
      if (job.status === 'queued' || job.status === 'leased') announce.run(tenantId, job.dueAt)
    },
    announce(tenantId: string, dueAt: number): void {
      announce.run(tenantId, dueAt)
    },
  }
}

export function createJobStore(db: Database, table: JobTable, use: () => void): JobStore {
  const sql = prepare(db)
  const transaction = db.transaction((work: () => unknown) => work()).immediate
  const atomically = <T>(work: () => T): T => {
    use()
    return withStorageErrors(() => transaction(work) as T)
  }
  const schedulesDue = (tenantId: string, now: number) =>
    (sql.dueSchedules.all(tenantId, now) as Row[]).map(scheduleRows.fromRow)

  /** Priority by priority, so that each is read in the order of its index, and neither a backlog nor parked jobs are read and sorted. */
  function dueJobs(tenantId: string, now: number, kinds: readonly string[], limit: number): Row[] {
    const known = JSON.stringify(kinds)
    const found: Row[] = []
    const nextPriority = (below: number) => sql.nextPriority.get(tenantId, below) as number | null
    for (let at = nextPriority(Number.MAX_SAFE_INTEGER); at !== null; at = nextPriority(at)) {
      found.push(...(sql.dueJobs.all(tenantId, at, now, known, limit - found.length) as Row[]))
      if (found.length === limit) break
    }
    return found
  }

  return {
    async claim({ now, kinds, limit, except = [], change }) {
      use()
      // The query needs no write lock, and most of them find nothing.
      if (withStorageErrors(() => sql.pickTenant.get(now, JSON.stringify(except))) === undefined) return null
      // A lease that a power cut undoes leaves a job that is due: its worker is gone too.
      const claimDue = () => {
        const picked = sql.pickTenant.get(now, JSON.stringify(except)) as { tenant_id: string } | undefined
        if (!picked) return null
        const tenantId = picked.tenant_id
        const jobs = dueJobs(tenantId, now, kinds, limit).map((row) => change(jobRows.fromRow(row)))
        for (const job of jobs) table.save(tenantId, job)
        const schedules = schedulesDue(tenantId, now)
        sql.takeTurn.run({ tenantId, now })
        sql.retire.run(tenantId)
        return { tenantId, jobs, schedules }
      }
      return unflushed(db, () => atomically(claimDue))
    },
    async update(tenantId, jobId, change) {
      return atomically(() => {
        const job = table.load(tenantId, jobId)
        if (!job) throw new ColophonError('job_not_found', 'There is no such job.')
        const changed = change(job)
        table.save(tenantId, changed)
        return changed
      })
    },
    async get(tenantId, jobId) {
      use()
      return withStorageErrors(() => table.load(tenantId, jobId))
    },
    async list({ tenantId, status, after, limit }) {
      use()
      return withStorageErrors(() => (sql.list.all({ tenantId, status, after, limit }) as Row[]).map(jobRows.fromRow))
    },
    async waitingDeliveries(tenantId, webhookIds, countMax) {
      use()
      return withStorageErrors(() => {
        const count = (webhookId: string) => sql.waitingDeliveries.get(tenantId, webhookId, countMax) as TotalRow
        const counts = webhookIds.map((webhookId) => [webhookId, count(webhookId).count] as const)
        return new Map(counts.filter(([, waiting]) => waiting > 0))
      })
    },
    async putSchedule(tenantId, schedule) {
      atomically(() => {
        const payload = JSON.stringify(schedule.payload ?? null)
        sql.putSchedule.run({ ...schedule, tenantId, payload })
        table.announce(tenantId, schedule.nextDueAt)
      })
    },
    async removeSchedule(tenantId, scheduleId) {
      return atomically(() => sql.removeSchedule.run(tenantId, scheduleId).changes > 0)
    },
    async schedules(tenantId) {
      use()
      return withStorageErrors(() => (sql.schedules.all(tenantId) as Row[]).map(scheduleRows.fromRow))
    },
    async moveSchedule(tenantId, scheduleId, from, to) {
      return atomically(() => {
        const moved = sql.setDue.run(to, tenantId, scheduleId, from).changes > 0
        if (moved && to !== neverDue) table.announce(tenantId, to)
        return moved
      })
    },
    async fire(tenantId, due, nextDueAt, job) {
      return atomically(() => {
        const moved = sql.moveSchedule.run(nextDueAt, due.nextDueAt, tenantId, due.scheduleId, due.nextDueAt)
        if (moved.changes === 0) return false
        table.save(tenantId, job)
        table.announce(tenantId, nextDueAt)
        return true
      })
    },
  }
}

function prepare(db: Database) {
  return {
    pickTenant: db.prepare(`
      select tenant_id
        from job_ready
       where due_at <= ?
         and tenant_id not in (select value from json_each(?))
       order by turn, tenant_id
       limit 1`),
    dueJobs: db.prepare(`
      select ${jobRows.columns}
        from job indexed by job_by_urgency
       where tenant_id = ?
         and priority = ?
         and status in ('queued', 'leased')
         and due_at <= ?
         and kind in (select value from json_each(?))
       order by due_at, job_id
       limit +?`),
    // The highest priority below one that a queued or leased job has.
    nextPriority: db
      .prepare(`
      select max(priority)
        from job indexed by job_by_urgency
       where tenant_id = ?
         and status in ('queued', 'leased')
         and priority < ?`)
      .pluck(),
    dueSchedules: db.prepare(`
      select ${scheduleRows.columns}
        from schedule
       where tenant_id = ?
         and next_due_at <= ?
       order by schedule_id`),
    takeTurn: db.prepare(`
      update job_ready
         set turn = max(:now, turn + 1),
             due_at = min(
               ifnull((select min(due_at) from job where tenant_id = :tenantId and status in ('queued', 'leased')), 9007199254740991),
               ifnull((select min(next_due_at) from schedule where tenant_id = :tenantId), 9007199254740991))
       where tenant_id = :tenantId`),
    retire: db.prepare('delete from job_ready where tenant_id = ? and due_at = 9007199254740991'),
    list: db.prepare(`
      select ${jobRows.columns}
        from job
       where tenant_id = :tenantId
         and (:status is null or status = :status)
         and (:after is null or job_id < :after)
       order by job_id desc
       limit +:limit`),
    // Uses an index of only such rows, and reads no more of them than are counted.
    waitingDeliveries: db.prepare(`
      select count(*) as count
        from (select 1
                from job
               where tenant_id = ?
                 and kind = '${deliveryJobKind}'
                 and status in ('queued', 'leased')
                 and json_extract(payload, '$.webhookId') = ?
               limit +?)`),
    putSchedule: db.prepare(`
      insert into schedule (tenant_id, ${scheduleRows.columns})
      values (:tenantId, :scheduleId, :cron, :kind, :payload, :nextDueAt, :lastDueAt)
          on conflict (tenant_id, schedule_id) do update
         set cron = excluded.cron, kind = excluded.kind, payload = excluded.payload,
             next_due_at = case when schedule.cron = excluded.cron then schedule.next_due_at else excluded.next_due_at end,
             last_due_at = case when schedule.cron = excluded.cron then schedule.last_due_at end`),
    removeSchedule: db.prepare('delete from schedule where tenant_id = ? and schedule_id = ?'),
    schedules: db.prepare(`
      select ${scheduleRows.columns}
        from schedule
       where tenant_id = ?
       order by schedule_id`),
    setDue: db.prepare(`
      update schedule
         set next_due_at = ?
       where tenant_id = ?
         and schedule_id = ?
         and next_due_at = ?`),
    moveSchedule: db.prepare(`
      update schedule
         set next_due_at = ?, last_due_at = ?
       where tenant_id = ?
         and schedule_id = ?
         and next_due_at = ?`),
  }
}
