import { Cron } from 'croner'
import { freshContext } from '../app/redaction/redaction-state.ts'
import { startRunJobKind } from '../app/runs/scheduled-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { checkIdentifier, checkJson, checkKnownKeys, checkText, toInstant } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
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

/** Creates or replaces a schedule. */
export async function putSchedule(tenant: Tenant, draft: JobScheduleDraft): Promise<void> {
  checkKnownKeys('schedule', draft ?? null, ['scheduleId', 'cron', 'kind', 'payload'])
  const { scheduleId, cron, kind, payload = null } = draft
  checkIdentifier('scheduleId', scheduleId, 'jobKindCharactersMax', limits.jobKindCharactersMax)
  checkIdentifier('kind', kind, 'jobKindCharactersMax', limits.jobKindCharactersMax)
  checkJson('payload', payload, 'jobPayloadBytesMax', limits.jobPayloadBytesMax)
  const next = nextDue(cron, tenant.now())
  const timing = parseTiming(cron)
  // A single due time that has just passed is still due.
  const nextDueAt = timing.kind === 'at' ? timing.at : next
  await checkScheduleCount(tenant, scheduleId)
  const schedule: Schedule = { scheduleId, cron, kind, payload, nextDueAt, lastDueAt: null }
  const { redaction } = await freshContext(tenant)
  await tenant.storage.jobs.putSchedule(tenant.id, await redaction.redact(({ scan }) => redactSchedule(schedule, scan)))
}

/** Refuses a further schedule above the limit. */
export async function checkScheduleCount(tenant: Tenant, scheduleId: string): Promise<void> {
  const known = await tenant.storage.jobs.schedules(tenant.id)
  if (known.length >= limits.schedulesPerTenantMax && !known.some((schedule) => schedule.scheduleId === scheduleId)) {
    throw invalid('schedules', `must be at most ${limits.schedulesPerTenantMax} per tenant`, {
      limit: 'schedulesPerTenantMax',
      max: limits.schedulesPerTenantMax,
    })
  }
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

/** The payload of a schedule's job. One that starts a run also gets the schedule and the due time, which the run shows, and the actor that it runs for. */
export function payloadOf({ kind, payload, scheduleId }: Schedule, start: { dueAt?: string; by?: unknown }): unknown {
  return kind === startRunJobKind ? { ...(payload as object), scheduleId, ...start } : payload
}
