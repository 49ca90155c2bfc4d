import type { WriteOptions } from '../app/commit.ts'
import { compactionPassKind, compactionScheduleId, requestedPass } from '../app/compaction/schedule.ts'
import { decideAndCommit } from '../app/decide-and-commit.ts'
import { embedJobKind, embedScheduleId } from '../app/embeddings/schedule.ts'
import { retentionJobKind } from '../app/provenance/retention.ts'
import { historyJobKind } from '../app/retention/prune-history.ts'
import { expiryJobKind } from '../app/retention/sweep-expired.ts'
import type { Tenant } from '../app/tenant.ts'
import type { AdminBody } from '../core/admin.ts'
import { toInstant } from '../core/check.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { isPaused, neverDue, type Schedule } from '../core/jobs/schedule.ts'
import { limits } from '../core/limits.ts'
import { enqueue } from './queue.ts'
import { nextDue, putSchedule } from './schedules.ts'

/**
 * Schedules as people manage them. A decision of a person (this schedule, paused or not) is a record with its place in
 * the audit; the row that workers look at follows from it, and a worker that finds them apart goes by the record.
 */
export type ScheduleView = {
  readonly id: string
  readonly cron: string
  readonly kind: string
  readonly payload: unknown
  readonly status: 'active' | 'paused'
  readonly isHosts: boolean
  readonly nextDueAt?: string
  readonly lastDueAt?: string
}

export type HostScheduleDraft = {
  readonly id: string
  readonly cron: string
  readonly kind: string
  readonly payload?: unknown
}

export async function listSchedules(tenant: Tenant): Promise<ScheduleView[]> {
  return (await tenant.storage.jobs.schedules(tenant.id)).map(toView)
}

/** Makes a schedule, or gives it another cron, kind or payload. A changed one is active. */
export async function saveSchedule(
  tenant: Tenant,
  draft: HostScheduleDraft,
  options: WriteOptions,
): Promise<{ readonly view: ScheduleView; readonly repeated: boolean }> {
  const { id, cron, kind, payload = null } = draft
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id) || id.length > limits.jobKindCharactersMax)
    throw invalid('id', 'must be letters, digits and . _ - only, at most 64')
  if (hostSchedules.includes(id)) throw new ColophonError('already_exists', 'The host itself has this schedule.')
  if (!schedulableKinds.includes(kind)) throw invalid('kind', `must be one of ${schedulableKinds.join(', ')}`)
  nextDue(cron, tenant.now())
  const { repeated } = await record(tenant, id, 'put', { isPaused: false }, { cron, kind, payload }, options)
  await putSchedule(tenant, { scheduleId: id, cron, kind, payload })
  await setDue(tenant, id, false)
  return { view: toView(await findSchedule(tenant, id)), repeated }
}

export async function pauseSchedule(tenant: Tenant, id: string, options: WriteOptions) {
  return changePause(tenant, id, true, options)
}

/** Goes on with the next time from now: what was missed in the pause is not caught up with. */
export async function resumeSchedule(tenant: Tenant, id: string, options: WriteOptions) {
  return changePause(tenant, id, false, options)
}

/** Starts its job now, beside the times it has; a paused one too. */
export async function runScheduleNow(tenant: Tenant, id: string, options: WriteOptions) {
  const { kind, payload } = await findSchedule(tenant, id)
  // Its events say what started it, and this is not the schedule.
  return enqueue(tenant, { kind, payload: kind === compactionPassKind ? requestedPass : payload }, options)
}

export async function removeSchedule(tenant: Tenant, id: string, options: WriteOptions) {
  if (hostSchedules.includes(id))
    throw new ColophonError('already_exists', 'The host itself has this schedule; it can be paused.')
  const change = { kind: 'schedule', id, body: null, expects: null } as const
  const call = { operation: 'schedules.remove', id }
  const { repeated } = await tenant.commit({ kind: 'admin.schedule.removed', admin: [change] }, { ...options, call })
  const deleted = await tenant.storage.jobs.removeSchedule(tenant.id, id)
  return { deleted: deleted || repeated, repeated }
}

async function changePause(tenant: Tenant, id: string, isPaused: boolean, options: WriteOptions) {
  const { cron, kind, payload } = await findSchedule(tenant, id)
  const verb = isPaused ? 'paused' : 'resumed'
  const { repeated } = await record(tenant, id, verb, { isPaused }, { cron, kind, payload }, options)
  await setDue(tenant, id, isPaused)
  return { view: toView(await findSchedule(tenant, id)), repeated }
}

function record(
  tenant: Tenant,
  id: string,
  verb: 'put' | 'paused' | 'resumed',
  facts: NonNullable<AdminBody['facts']>,
  text: AdminBody['text'],
  options: WriteOptions,
) {
  const change = { kind: 'schedule', id, body: { text, facts, sealed: {} }, expects: null } as const
  const call = { operation: `schedules.${verb}`, id, ...text }
  return tenant.commit({ kind: `admin.schedule.${verb}`, admin: [change] }, { ...options, call })
}

/** A worker may move it at the same moment: then it is looked at again. */
async function setDue(tenant: Tenant, id: string, pause: boolean): Promise<void> {
  await decideAndCommit(async () => {
    const schedule = await findSchedule(tenant, id)
    if (isPaused(schedule) === pause) return
    const to = pause ? neverDue : nextDue(schedule.cron, tenant.now())
    const isMoved = await tenant.storage.jobs.moveSchedule(tenant.id, id, schedule.nextDueAt, to)
    if (!isMoved) throw new ColophonError('version_conflict', 'A worker moved the schedule.')
  })
}

async function findSchedule(tenant: Tenant, id: string): Promise<Schedule> {
  const found = (await tenant.storage.jobs.schedules(tenant.id)).find(({ scheduleId }) => scheduleId === id)
  if (found === undefined) throw new ColophonError('not_found', 'There is no schedule with this id.')
  return found
}

function toView(schedule: Schedule): ScheduleView {
  const { scheduleId, cron, kind, payload, nextDueAt, lastDueAt } = schedule
  return {
    id: scheduleId,
    cron,
    kind,
    payload,
    status: isPaused(schedule) ? 'paused' : 'active',
    isHosts: hostSchedules.includes(scheduleId),
    ...(isPaused(schedule) ? {} : { nextDueAt: toInstant(nextDueAt) }),
    ...(lastDueAt === null ? {} : { lastDueAt: toInstant(lastDueAt) }),
  }
}

/** Schedules that the host makes for every tenant that needs them. They can be paused, but not changed or removed. */
export const hostSchedules: readonly string[] = [
  'payload-retention',
  'expiry-sweep',
  'history-retention',
  compactionScheduleId,
  embedScheduleId,
]

/** Work that may be asked for again and again: passes over what is stored, which are safe to repeat at any time. */
export const schedulableKinds: readonly string[] = [
  compactionPassKind,
  'colophon.re-redact',
  retentionJobKind,
  expiryJobKind,
  historyJobKind,
  embedJobKind,
]
