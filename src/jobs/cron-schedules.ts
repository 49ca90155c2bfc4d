import { Cron } from 'croner'
import { redactionJobKind } from '../app/redaction/redaction-pass.ts'
import { freshContext } from '../app/redaction/redaction-state.ts'
import { startRunJobKind } from '../app/runs/scheduled-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { checkIdentifier, checkJson, checkKnownKeys, checkText, toInstant } from '../core/check.ts'
import type { Capacity } from '../core/commit/parts/capacities.ts'
import { invalid } from '../core/errors.ts'
import { isDryRun } from '../core/jobs/dry-run.ts'
import { enqueueJob } from '../core/jobs/job.ts'
import { type MissedPolicy, neverDue, type Schedule } from '../core/jobs/schedule.ts'
import { isTimezone, parseTiming } from '../core/jobs/timing.ts'
import { limits } from '../core/limits.ts'
import { redactSchedule } from '../core/redaction/redaction.ts'

/** A schedule to be created: at each time of its cron expression a job is enqueued. */
export type JobScheduleDraft = {
  readonly scheduleId: string
  /** A cron expression of five or six fields, in UTC or after `CRON_TZ=<zone> `; or `@at <instant>`. */
  readonly cron: string
  readonly kind: string
  readonly payload?: unknown
}

/** Creates or replaces a schedule that has no record. */
export async function putSchedule(tenant: Tenant, draft: JobScheduleDraft): Promise<void> {
  await storeSchedule(tenant, draft, ({ scheduleId }) => checkScheduleCount(tenant, scheduleId))
}

/** Stores the row of a schedule. A row that follows a record is not counted: its record was. */
export async function storeSchedule(
  tenant: Tenant,
  draft: JobScheduleDraft,
  check: (schedule: Schedule) => Promise<unknown> = async () => {},
): Promise<void> {
  checkKnownKeys('schedule', draft ?? null, ['scheduleId', 'cron', 'kind', 'payload'])
  const { scheduleId, cron, kind, payload = null } = draft
  checkIdentifier('scheduleId', scheduleId, 'jobKindCharactersMax', limits.jobKindCharactersMax)
  checkIdentifier('kind', kind, 'jobKindCharactersMax', limits.jobKindCharactersMax)
  checkJson('payload', payload, 'jobPayloadBytesMax', limits.jobPayloadBytesMax)
  const next = nextDue(cron, tenant.now())
  const timing = parseTiming(cron)
  // A single due time that has just passed is still due.
  const nextDueAt = timing.kind === 'at' ? timing.at : next
  const schedule: Schedule = { scheduleId, cron, kind, payload, nextDueAt, lastDueAt: null }
  await check(schedule)
  const { redaction } = await freshContext(tenant)
  await tenant.storage.jobs.putSchedule(tenant.id, await redaction.redact(({ scan }) => redactSchedule(schedule, scan)))
}

/**
 * Refuses a further schedule above the limit. Gives whether there is a record of it, and the limit on records, which the commit of a new one
 * checks again: schedules may be created at the same time. Rows without a record, such as those of the host, take their place in it.
 */
export async function checkScheduleCount(
  { storage, id: tenantId }: Tenant,
  scheduleId: string,
): Promise<{ readonly isRecorded: boolean; readonly capacity: Capacity }> {
  const max = limits.schedulesPerTenantMax
  const [rows, records] = await Promise.all([
    storage.jobs.schedules(tenantId),
    storage.records({ tenantId, kind: 'schedule', after: null, limit: max }),
  ])
  const recorded = new Set(records.map(({ id }) => id))
  const unrecorded = rows.filter((row) => !recorded.has(row.scheduleId))
  const isKnown = recorded.has(scheduleId) || unrecorded.some((row) => row.scheduleId === scheduleId)
  if (!isKnown && recorded.size + unrecorded.length >= max)
    throw invalid('schedules', `must be at most ${max} per tenant`, { limit: 'schedulesPerTenantMax', max })
  const others = unrecorded.filter((row) => row.scheduleId !== scheduleId).length
  return { isRecorded: recorded.has(scheduleId), capacity: { of: { records: 'schedule' }, max: max - others } }
}

const fiveOrSixFields = 'must be a cron expression of five or six fields, such as "20 3 * * *"'

/** The first due time of a timing after an instant; `neverDue` when there is none. */
export function nextDue(timing: string, after: number): number {
  checkText('cron', timing)
  const parsed = parseTiming(timing)
  if (parsed.kind === 'at') return parsed.at > after ? parsed.at : neverDue
  const { cron, timezone } = parsed
  if (!isTimezone(timezone)) throw invalid('timezone', 'must be the IANA name of a time zone, such as Europe/Berlin')
  // The library also accepts a date, and a seventh field for the year. Both have a last time, after which there is no next one.
  if (!cron.startsWith('@') && ![5, 6].includes(cron.trim().split(/\s+/).length)) throw invalid('cron', fiveOrSixFields)
  let next: Date | null
  try {
    next = new Cron(cron, { timezone, paused: true }).nextRun(new Date(after))
  } catch {
    throw invalid('cron', fiveOrSixFields)
  }
  if (next === null) throw invalid('cron', 'must have a next time')
  return next.getTime()
}

/**
 * Enqueues one job for a due schedule, however many times were missed: after downtime one job makes up for all of them, or none if
 * the schedule says so. Of several processes one succeeds.
 */
export async function fireSchedule(tenant: Tenant, due: Schedule): Promise<boolean> {
  // A pause writes its record first. If the process ended after that, the pause takes effect here.
  const record = await tenant.storage.record(tenant.id, 'schedule', due.scheduleId)
  if (record?.body.facts?.isPaused === true) {
    await tenant.storage.jobs.moveSchedule(tenant.id, due.scheduleId, due.nextDueAt, neverDue)
    return false
  }
  const now = tenant.now()
  const next = nextDue(due.cron, Math.max(now, due.nextDueAt))
  // A disabled tenant starts nothing. Due times that pass meanwhile are skipped.
  if ((await tenant.storage.tenant(tenant.id))?.status === 'disabled') {
    await tenant.storage.jobs.moveSchedule(tenant.id, due.scheduleId, due.nextDueAt, next)
    return false
  }
  const missed = record?.body.facts?.missed as MissedPolicy | undefined
  if (missed === 'skip' && now - due.nextDueAt > limits.scheduleGraceMs) {
    await tenant.storage.jobs.moveSchedule(tenant.id, due.scheduleId, due.nextDueAt, next)
    return false
  }
  const job = enqueueJob(
    {
      jobId: tenant.system.newId('job'),
      kind: due.kind,
      payload: payloadOf(due, { dueAt: toInstant(due.nextDueAt), by: record?.body.facts?.by }),
      priority: 0,
      dueAt: null,
      attemptsMax: limits.jobAttemptsDefault,
    },
    now,
  )
  return tenant.storage.jobs.fire(tenant.id, due, next, job)
}

/**
 * The payload of a schedule's job. One that starts a run also gets the schedule and the due time, which the run shows, and the actor that it runs for.
 * A redaction pass gets that actor too: one that the client put into the payload must not be recorded.
 */
export function payloadOf({ kind, payload, scheduleId }: Schedule, start: { dueAt?: string; by?: unknown }): unknown {
  if (kind === startRunJobKind) return { ...(payload as object), scheduleId, ...start }
  if (kind !== redactionJobKind) return payload
  return { dryRun: isDryRun(payload), ...(typeof start.by === 'string' ? { actor: start.by } : {}) }
}
