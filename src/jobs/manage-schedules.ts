import { commitChange, type WriteOptions } from '../app/commit.ts'
import type { Deps } from '../app/deps.ts'
import type { AdminBody } from '../core/admin.ts'
import { toInstant } from '../core/check.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { isPaused, neverDue, type Schedule } from '../core/schedule.ts'
import { hostSchedules, schedulableKinds } from './known-schedules.ts'
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

export async function listSchedules(deps: Deps, tenantId: string): Promise<ScheduleView[]> {
  return (await deps.storage.jobs.schedules(tenantId)).map(toView)
}

/** Makes a schedule, or gives it another cron, kind or payload. A changed one is active. */
export async function saveSchedule(
  deps: Deps,
  tenantId: string,
  draft: HostScheduleDraft,
  options: WriteOptions,
): Promise<{ readonly view: ScheduleView; readonly repeated: boolean }> {
  const { id, cron, kind, payload = null } = draft
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id) || id.length > limits.jobKindCharactersMax)
    throw invalid('id', 'must be letters, digits and . _ - only, at most 64')
  if (hostSchedules.includes(id)) throw new ColophonError('already_exists', 'The host itself has this schedule.')
  if (!schedulableKinds.includes(kind)) throw invalid('kind', `must be one of ${schedulableKinds.join(', ')}`)
  nextDue(cron, deps.system.now())
  const { repeated } = await record(deps, tenantId, id, 'put', { isPaused: false }, { cron, kind, payload }, options)
  await putSchedule(deps, tenantId, { scheduleId: id, cron, kind, payload })
  await setDue(deps, tenantId, id, false)
  return { view: toView(await findSchedule(deps, tenantId, id)), repeated }
}

export async function pauseSchedule(deps: Deps, tenantId: string, id: string, options: WriteOptions) {
  return changePause(deps, tenantId, id, true, options)
}

/** Goes on with the next time from now: what was missed in the pause is not caught up with. */
export async function resumeSchedule(deps: Deps, tenantId: string, id: string, options: WriteOptions) {
  return changePause(deps, tenantId, id, false, options)
}

/** Starts its job now, beside the times it has; a paused one too. */
export async function runScheduleNow(deps: Deps, tenantId: string, id: string, options: WriteOptions) {
  const { kind, payload } = await findSchedule(deps, tenantId, id)
  return enqueue(deps, tenantId, { kind, payload }, options)
}

export async function removeSchedule(deps: Deps, tenantId: string, id: string, options: WriteOptions) {
  if (hostSchedules.includes(id))
    throw new ColophonError('already_exists', 'The host itself has this schedule; it can be paused.')
  const change = { kind: 'schedule', id, body: null, expects: null } as const
  const call = { operation: 'schedules.remove', id }
  const { repeated } = await commitChange(
    deps,
    tenantId,
    { kind: 'admin.schedule.removed', admin: [change] },
    { ...options, call },
  )
  const deleted = await deps.storage.jobs.removeSchedule(tenantId, id)
  return { deleted: deleted || repeated, repeated }
}

async function changePause(deps: Deps, tenantId: string, id: string, isPaused: boolean, options: WriteOptions) {
  const { cron, kind, payload } = await findSchedule(deps, tenantId, id)
  const verb = isPaused ? 'paused' : 'resumed'
  const { repeated } = await record(deps, tenantId, id, verb, { isPaused }, { cron, kind, payload }, options)
  await setDue(deps, tenantId, id, isPaused)
  return { view: toView(await findSchedule(deps, tenantId, id)), repeated }
}

function record(
  deps: Deps,
  tenantId: string,
  id: string,
  verb: 'put' | 'paused' | 'resumed',
  facts: NonNullable<AdminBody['facts']>,
  text: AdminBody['text'],
  options: WriteOptions,
) {
  const change = { kind: 'schedule', id, body: { text, facts, sealed: {} }, expects: null } as const
  const call = { operation: `schedules.${verb}`, id, ...text }
  return commitChange(deps, tenantId, { kind: `admin.schedule.${verb}`, admin: [change] }, { ...options, call })
}

/** A worker may move it at the same moment: then it is looked at again. */
async function setDue(deps: Deps, tenantId: string, id: string, pause: boolean): Promise<void> {
  for (let attempt = 1; attempt <= limits.commitAttemptsMax; attempt++) {
    const schedule = await findSchedule(deps, tenantId, id)
    if (isPaused(schedule) === pause) return
    const to = pause ? neverDue : nextDue(schedule.cron, deps.system.now())
    if (await deps.storage.jobs.moveSchedule(tenantId, id, schedule.nextDueAt, to)) return
  }
}

async function findSchedule(deps: Deps, tenantId: string, id: string): Promise<Schedule> {
  const found = (await deps.storage.jobs.schedules(tenantId)).find(({ scheduleId }) => scheduleId === id)
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
