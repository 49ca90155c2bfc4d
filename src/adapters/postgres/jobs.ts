import { ColophonError, isColophonError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs/job.ts'
import { isUnfinished } from '../../core/jobs/job.ts'
import { neverDue } from '../../core/jobs/schedule.ts'
import { deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { JobStore } from '../../ports/job-store.ts'
import type { Row } from '../sql/row-codec.ts'
import { jobRows, scheduleRows } from '../sql/rows.ts'
import { type CountRow, toCounts } from '../sql/stats-rows.ts'
import { host, query, type Send, statement, type Transaction, tenantOfCall } from './connection.ts'
import type { Database } from './database.ts'
import { toStorageError } from './errors.ts'

/** Writes job rows inside a transaction, and announces the tenant to the workers. */
export function saveJobs(send: Send, tenantId: string, jobs: readonly Job[]): Promise<unknown>[] {
  if (jobs.length === 0) return []
  const sent: Promise<unknown>[] = [send(sql.save, [tenantId, JSON.stringify(jobs.map(jobRows.toRow))])]
  const due = jobs.filter(isUnfinished).map((job) => job.dueAt)
  // A row that announces too early costs one empty query; one that announces too late would lose the job.
  if (due.length > 0) sent.push(send(sql.announce, [tenantId, Math.min(...due)]))
  return sent
}

export function createJobStore(database: Database, use: () => void): JobStore {
  const atomically = async <T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> => {
    use()
    try {
      // In a queue of their own: a lease must be renewed however many calls a tenant makes.
      return await database.transaction(tenantId, 'jobs', work)
    } catch (error) {
      throw toStorageError(error)
    }
  }
  return {
    async claim({ now, kinds, limit, except = [], change }) {
      let tried: string | null = null
      const claimed = atomically(host, async ({ send, commit }) => {
        const [picked] = (await send<{ tenant_id: string }>(sql.pickTenant, [now, except])).rows
        if (!picked) {
          await commit()
          return null
        }
        const tenantId = picked.tenant_id
        tried = tenantId
        const [due, schedules] = await Promise.all([
          send<Row>(sql.dueJobs, [tenantId, now, kinds, limit]),
          send<Row>(sql.dueSchedules, [tenantId, now]),
        ])
        const jobs = due.rows.map((row) => change(jobRows.fromRow(row)))
        // Behind the changed jobs: the tenant is announced for what is left then. Not in one statement with the announcement, whose
        // table is on one node where the others are distributed.
        const saved = saveJobs(send, tenantId, jobs)
        const [{ rows: left }] = await Promise.all([send<{ due_at: number | null }>(sql.nextDue, [tenantId]), ...saved])
        const next = left[0]?.due_at ?? neverDue
        await commit(next === neverDue ? send(sql.retire, [tenantId]) : send(sql.takeTurn, [tenantId, now, next]))
        return {
          tenantId,
          jobs,
          schedules: schedules.rows.map(scheduleRows.fromRow),
        }
      })
      return claimed.catch(async (error: unknown) => {
        // The node of the tenant is down: other tenants are looked at first, until it is tried again.
        if (tried !== null && database.isDistributed && isColophonError(error, 'storage_unavailable'))
          await atomically(host, ({ send, commit }) => commit(send(sql.putBack, [tried, now, now + putBackMs]))).catch(
            () => {},
          )
        throw error
      })
    },
    update(tenantId, jobId, change) {
      return atomically(tenantId, async ({ send, commit }) => {
        const [row] = (await send<Row>(sql.lock, [tenantId, jobId])).rows
        if (!row) throw new ColophonError('job_not_found', 'There is no such job.')
        const changed = change(jobRows.fromRow(row))
        await commit(...saveJobs(send, tenantId, [changed]))
        return changed
      })
    },
    async get(tenantId, jobId) {
      use()
      const [row] = await query<Row>(database, sql.load, [tenantId, jobId])
      return row ? jobRows.fromRow(row) : null
    },
    async list({ tenantId, status, after, limit }) {
      use()
      return (await query<Row>(database, sql.list, [tenantId, status, after, limit])).map(jobRows.fromRow)
    },
    async waitingDeliveries(tenantId, webhookIds, countMax) {
      use()
      const rows = await query<CountRow>(database, sql.waitingDeliveries, [tenantId, webhookIds, countMax])
      return toCounts(rows.filter(({ count }) => count > 0))
    },
    putSchedule(tenantId, s) {
      return atomically(tenantId, async ({ send, commit }) => {
        const payload = JSON.stringify(s.payload ?? null)
        await commit(
          send(sql.putSchedule, [tenantId, s.scheduleId, s.cron, s.kind, payload, s.nextDueAt, s.lastDueAt]),
          send(sql.announce, [tenantId, s.nextDueAt]),
        )
      })
    },
    async removeSchedule(tenantId, scheduleId) {
      use()
      return (await query(database, sql.removeSchedule, [tenantId, scheduleId])).length > 0
    },
    async schedules(tenantId) {
      use()
      return (await query<Row>(database, sql.schedules, [tenantId])).map(scheduleRows.fromRow)
    },
    moveSchedule(tenantId, scheduleId, from, to) {
      return atomically(tenantId, async ({ send, commit }) => {
        const { rowCount } = await send(sql.setDue, [tenantId, scheduleId, from, to])
        const moved = rowCount === 1
        await commit(...(moved && to !== neverDue ? [send(sql.announce, [tenantId, to])] : []))
        return moved
      })
    },
    fire(tenantId, due, nextDueAt, job) {
      return atomically(tenantId, async ({ send, commit }) => {
        const moved = await send(sql.moveSchedule, [tenantId, due.scheduleId, due.nextDueAt, nextDueAt])
        if (moved.rowCount === 0) {
          await commit()
          return false
        }
        await commit(...saveJobs(send, tenantId, [job]), send(sql.announce, [tenantId, nextDueAt]))
        return true
      })
    },
  }
}

/** How long the work of a tenant waits after its node did not answer. */
const putBackMs = 5_000

const sql = {
  load: statement('load_job', `select ${jobRows.columns} from job where tenant_id = $1 and job_id = $2`),
  lock: statement('lock_job', `select ${jobRows.columns} from job where tenant_id = $1 and job_id = $2 for update`),
  save: statement(
    'save_jobs',
    `insert into job (tenant_id, ${jobRows.columns})
     select c.tenant_id, ${jobRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${jobRows.types})
         on conflict (tenant_id, job_id) do update
        set status = excluded.status, due_at = excluded.due_at, payload = excluded.payload, attempts = excluded.attempts,
            lost_leases = excluded.lost_leases, lease_token = excluded.lease_token, worker = excluded.worker,
            progress = excluded.progress, error = excluded.error, result = excluded.result,
            started_at = excluded.started_at, ended_at = excluded.ended_at, trace = excluded.trace`,
  ),
  announce: statement(
    'announce',
    `insert into job_ready (tenant_id, due_at, turn)
     values ($1, $2, 0)
         on conflict (tenant_id) do update
        set due_at = least(job_ready.due_at, excluded.due_at)`,
  ),
  // The one query across tenants. A tenant that another worker has locked is passed over, not waited for.
  pickTenant: statement(
    'pick_tenant',
    `select tenant_id
       from job_ready
      where due_at <= $1
        and tenant_id <> all($2)
      order by turn, tenant_id
      limit 1
        for update skip locked`,
  ),
  dueJobs: statement(
    'due_jobs',
    `select ${jobRows.columns}
       from job
      where tenant_id = $1
        and status in ('queued', 'leased')
        and due_at <= $2
        and kind = any($3)
      order by priority desc, due_at, job_id
      limit $4
        for update skip locked`,
  ),
  dueSchedules: statement(
    'due_schedules',
    `select ${scheduleRows.columns}
       from schedule
      where tenant_id = $1
        and next_due_at <= $2
      order by schedule_id`,
  ),
  nextDue: statement(
    'next_due',
    `select min(due_at) as due_at
       from (select min(due_at) as due_at from job where tenant_id = $1 and status in ('queued', 'leased')
              union all
             select min(next_due_at) from schedule where tenant_id = $1) as due`,
  ),
  takeTurn: statement(
    'take_turn',
    'update job_ready set turn = greatest($2, turn + 1), due_at = $3 where tenant_id = $1',
  ),
  putBack: statement(
    'put_back_turn',
    'update job_ready set turn = greatest($2, turn + 1), due_at = greatest(due_at, $3) where tenant_id = $1',
  ),
  // Nothing of a tenant whose schedules are all paused needs a worker.
  retire: statement('retire', 'delete from job_ready where tenant_id = $1'),
  list: statement(
    'list_jobs',
    `select ${jobRows.columns}
       from job
      where tenant_id = $1
        and ($2::text is null or status = $2)
        and ($3::text is null or job_id < $3)
      order by job_id desc
      limit $4`,
  ),
  // Uses an index of only such rows, and reads no more of them than are counted.
  waitingDeliveries: statement(
    'waiting_deliveries',
    `select webhook.id as name, counted.count
       from unnest($2::text[]) as webhook (id)
      cross join lateral (
              select count(*) as count
                from (select 1
                        from job
                       where tenant_id = $1
                         and kind = '${deliveryJobKind}'
                         and status in ('queued', 'leased')
                         and (payload::json ->> 'webhookId') = webhook.id
                       limit $3) as waiting) as counted`,
  ),
  putSchedule: statement(
    'put_schedule',
    `insert into schedule (tenant_id, ${scheduleRows.columns})
     values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (tenant_id, schedule_id) do update
        set cron = excluded.cron, kind = excluded.kind, payload = excluded.payload,
             next_due_at = case when schedule.cron = excluded.cron then schedule.next_due_at else excluded.next_due_at end,
             last_due_at = case when schedule.cron = excluded.cron then schedule.last_due_at end`,
  ),
  removeSchedule: statement(
    'remove_schedule',
    'delete from schedule where tenant_id = $1 and schedule_id = $2 returning 1',
  ),
  schedules: statement(
    'schedules',
    `select ${scheduleRows.columns} from schedule where tenant_id = $1 order by schedule_id`,
  ),
  setDue: statement(
    'set_schedule_due',
    `update schedule
        set next_due_at = $4
      where tenant_id = $1
        and schedule_id = $2
        and next_due_at = $3`,
  ),
  moveSchedule: statement(
    'move_schedule',
    `update schedule
        set next_due_at = $4, last_due_at = $3
      where tenant_id = $1
        and schedule_id = $2
        and next_due_at = $3`,
  ),
}
