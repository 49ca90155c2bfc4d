import type { CommitOptions, WriteOptions } from '../app/commit.ts'
import { compactionPassKind, compactionScheduleId } from '../app/compaction/compaction-schedule.ts'
import { consolidationPassKind, consolidationScheduleId } from '../app/consolidation/consolidation-schedule.ts'
import { decideAndCommit } from '../app/decide-and-commit.ts'
import { embedScheduleId } from '../app/embeddings/embedding-schedule.ts'
import { requireCapability } from '../app/require-capability.ts'
import { startRunJobKind } from '../app/runs/scheduled-run.ts'
import { currentWorkflow } from '../app/runs/workflow-registry.ts'
import type { Tenant } from '../app/tenant.ts'
import type { AdminBody } from '../core/admin.ts'
import { checkCount, parseInstant, toInstant } from '../core/check.ts'
import type { Capacity } from '../core/commit/parts/capacities.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { isOver, isPaused, type MissedPolicy, neverDue, type Schedule, scheduleHorizon } from '../core/jobs/schedule.ts'
import { defaultTimezone, formatTiming, isTimezone, parseTiming } from '../core/jobs/timing.ts'
import { limits } from '../core/limits.ts'
import { checkScheduleCount, nextDue, storeSchedule } from './cron-schedules.ts'
import { hasDryRun, schedulableKinds } from './schedulable-kinds.ts'

/**
 * Schedules as clients of the API manage them. A client's decision (the schedule, paused or not) is a record with an audit
 * record; the row that workers read follows from it. If the two differ after a crash, a worker goes by the record.
 */
export type ScheduleView = {
  readonly id: string
  /** A recurring schedule has a cron expression, one with a single due time has `at`. */
  readonly cron?: string
  readonly timezone?: string
  readonly at?: string
  readonly kind: string
  readonly payload: unknown
  readonly status: 'active' | 'paused' | 'over'
  readonly isHosts: boolean
  /** Whether it can be run without a change. */
  readonly hasDryRun: boolean
  readonly nextDueAt?: string
  readonly lastDueAt?: string
}

/** A schedule of a client: its due times (`cron`, `at` or `delayMs`), and a kind of job or the workflow to run. */
export type HostScheduleDraft = {
  readonly id: string
  readonly cron?: string | undefined
  readonly timezone?: string | undefined
  readonly at?: string | undefined
  readonly delayMs?: number | undefined
  readonly kind?: string | undefined
  readonly payload?: unknown
  readonly workflowId?: string | undefined
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
  readonly missed?: MissedPolicy | undefined
}

/** The schedules of a tenant: those of the host and those of its clients. */
export async function listSchedules(tenant: Tenant): Promise<ScheduleView[]> {
  return (await tenant.storage.jobs.schedules(tenant.id)).map(toView)
}

/** Creates a schedule, or changes its cron, kind or payload. Afterwards it is active. */
export async function saveSchedule(
  tenant: Tenant,
  draft: HostScheduleDraft,
  options: WriteOptions,
): Promise<{ readonly view: ScheduleView; readonly repeated: boolean }> {
  const { id, missed = 'once' } = draft
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id) || id.length > limits.jobKindCharactersMax)
    throw invalid('id', 'must be letters, digits and . _ - only, at most 64')
  if (hostSchedules.includes(id)) throw new ColophonError('already_exists', 'The id belongs to a schedule of the host.')
  // As the client sent it: the instant of a delay differs with every attempt.
  const write = { ...options, call: { operation: 'schedules.put', draft } }
  const isRepeated = (await tenant.findOutcome(write)) !== null
  if (!isRepeated) {
    const cron = checkDueTimes(draft, tenant.now())
    const text = { cron, ...(await workOf(tenant, draft)) }
    const facts = { isPaused: false, missed, by: actorOf(tenant, options) }
    await decideAndCommit(async () => {
      const { isRecorded, capacity } = await checkScheduleCount(tenant, id)
      const added = isRecorded ? null : capacity
      return record(tenant, id, 'put', { text, facts, sealed: {} }, write, added)
    })
  }
  await followRecord(tenant, id)
  return { view: toView(await findSchedule(tenant, id)), repeated: isRepeated }
}

/** Checks the due times of a draft, and gives its timing. */
export function checkDueTimes(draft: Omit<HostScheduleDraft, 'id'>, now: number): string {
  const timing = timingOf(draft, now)
  checkHorizon(nextDue(timing, now), now)
  return timing
}

function timingOf(
  { cron, timezone = defaultTimezone, at, delayMs }: Omit<HostScheduleDraft, 'id'>,
  now: number,
): string {
  const given = [cron, at, delayMs].filter((value) => value !== undefined)
  if (given.length !== 1) throw invalid('cron', 'must be given, or at, or delayMs: exactly one of them')
  if (cron !== undefined) {
    if (!isTimezone(timezone)) throw invalid('timezone', 'must be the IANA name of a time zone, such as Europe/Berlin')
    if (parseTiming(cron.trim()).kind !== 'cron' || cron.includes('='))
      throw invalid('cron', 'must be a cron expression')
    return formatTiming({ kind: 'cron', cron: cron.trim(), timezone })
  }
  if (delayMs !== undefined) {
    checkCount('delayMs', delayMs, 1)
    checkHorizon(now + delayMs, now)
  }
  const due = at === undefined ? now + (delayMs ?? 0) : parseInstant('at', at)
  if (due <= now) throw invalid('at', 'must be in the future')
  return formatTiming({ kind: 'at', at: due })
}

/** A schedule is refused if it is first due after the horizon. */
function checkHorizon(due: number, now: number): void {
  if (due - now <= limits.scheduleHorizonMs) return
  throw new ColophonError('schedule_horizon_exceeded', 'The schedule would first be due after the horizon.', {
    details: { maxFutureHorizon: scheduleHorizon, limit: 'scheduleHorizonMs', max: limits.scheduleHorizonMs },
  })
}

async function workOf(tenant: Tenant, draft: HostScheduleDraft): Promise<Pick<Schedule, 'kind' | 'payload'>> {
  const { kind, payload = null, workflowId, inputs } = draft
  if ((kind === undefined) === (workflowId === undefined))
    throw invalid('kind', 'must be given, or workflowId: exactly one of them')
  if (workflowId === undefined) {
    if (inputs !== undefined) throw invalid('inputs', 'is only allowed with workflowId')
    if (kind === undefined || !schedulableKinds.includes(kind))
      throw invalid('kind', `must be one of ${schedulableKinds.join(', ')}`)
    if (kind === compactionPassKind) requireCapability(tenant, 'compaction')
    if (kind === consolidationPassKind) requireCapability(tenant, 'consolidation')
    return { kind, payload }
  }
  if (payload !== null) throw invalid('payload', 'is only allowed with kind')
  if ((await currentWorkflow(tenant, workflowId)) === null) throw invalid('workflowId', 'must be a registered workflow')
  return { kind: startRunJobKind, payload: { workflowId, ...(inputs === undefined ? {} : { inputs }) } }
}

/** Pauses a schedule until it is resumed. */
export async function pauseSchedule(tenant: Tenant, id: string, options: WriteOptions) {
  return changePause(tenant, id, true, options)
}

/** Resumes with the next time from now. Times that were missed in the pause are not made up for. */
export async function resumeSchedule(tenant: Tenant, id: string, options: WriteOptions) {
  return changePause(tenant, id, false, options)
}

/** Removes a schedule of a client. A schedule of the host is refused. */
export async function removeSchedule(tenant: Tenant, id: string, options: WriteOptions) {
  if (hostSchedules.includes(id))
    throw new ColophonError('already_exists', 'A schedule of the host cannot be removed. Pause it instead.')
  const change = { kind: 'schedule', id, body: null, expects: null } as const
  const call = { operation: 'schedules.remove', id }
  const { repeated } = await tenant.commit({ kind: 'admin.schedule.removed', admin: [change] }, { ...options, call })
  const deleted = await followRecord(tenant, id)
  return { deleted: deleted || repeated, repeated }
}

async function changePause(tenant: Tenant, id: string, isPaused: boolean, options: WriteOptions) {
  const { cron, kind, payload } = await findSchedule(tenant, id)
  const verb = isPaused ? 'paused' : 'resumed'
  const known = await tenant.storage.record(tenant.id, 'schedule', id)
  const facts = { ...known?.body.facts, isPaused }
  const call = { operation: `schedules.${verb}`, id, cron, kind, payload }
  const { repeated } = await record(
    tenant,
    id,
    verb,
    { text: { cron, kind, payload }, facts, sealed: {} },
    { ...options, call },
  )
  await followRecord(tenant, id)
  return { view: toView(await findSchedule(tenant, id)), repeated }
}

function record(
  tenant: Tenant,
  id: string,
  verb: 'put' | 'paused' | 'resumed',
  body: AdminBody,
  options: CommitOptions,
  /** The limit that a new one counts towards; null for one that is there. */
  added: Capacity | null = null,
) {
  const change = { kind: 'schedule', id, body, expects: added === null ? null : 0 } as const
  const capacities = added === null ? [] : [added]
  return tenant.commit({ kind: `admin.schedule.${verb}`, admin: [change], capacities }, options)
}

/** The client that a schedule acts for: its runs have this actor. */
export function actorOf(tenant: Tenant, { actor = tenant.engine.actor }: WriteOptions): string {
  return actor
}

/**
 * Makes the row of a schedule what its record says now. So a repeated call completes a first one that was interrupted, and undoes
 * nothing that came after it. True if there was a row and it is removed.
 */
async function followRecord(tenant: Tenant, id: string): Promise<boolean> {
  const stored = await tenant.storage.record(tenant.id, 'schedule', id)
  if (stored === null) return tenant.storage.jobs.removeSchedule(tenant.id, id)
  const { cron, kind, payload } = stored.body.text as Pick<Schedule, 'cron' | 'kind' | 'payload'>
  await storeSchedule(tenant, { scheduleId: id, cron, kind, payload })
  await setDue(tenant, id, stored.body.facts?.isPaused === true)
  return false
}

/** A worker may move the schedule concurrently: then it is decided again. */
async function setDue(tenant: Tenant, id: string, pause: boolean): Promise<void> {
  await decideAndCommit(async () => {
    const schedule = await findSchedule(tenant, id)
    if (isPaused(schedule) === pause) return
    const to = pause ? neverDue : nextDue(schedule.cron, tenant.now())
    const isMoved = await tenant.storage.jobs.moveSchedule(tenant.id, id, schedule.nextDueAt, to)
    if (!isMoved) throw new ColophonError('version_conflict', 'A worker fired the schedule at the same time; retry.')
  })
}

/** A schedule by its id; `not_found` when the tenant has none. */
export async function findSchedule(tenant: Tenant, id: string): Promise<Schedule> {
  const found = (await tenant.storage.jobs.schedules(tenant.id)).find(({ scheduleId }) => scheduleId === id)
  if (found === undefined) throw new ColophonError('not_found', 'There is no schedule with this id.')
  return found
}

function toView(schedule: Schedule): ScheduleView {
  const { scheduleId, cron, kind, payload, nextDueAt, lastDueAt } = schedule
  return {
    id: scheduleId,
    ...timingView(cron),
    kind,
    payload,
    status: isOver(schedule) ? 'over' : isPaused(schedule) ? 'paused' : 'active',
    isHosts: hostSchedules.includes(scheduleId),
    hasDryRun: hasDryRun(kind),
    ...(nextDueAt === neverDue ? {} : { nextDueAt: toInstant(nextDueAt) }),
    ...(lastDueAt === null ? {} : { lastDueAt: toInstant(lastDueAt) }),
  }
}

function timingView(text: string): Pick<ScheduleView, 'cron' | 'timezone' | 'at'> {
  const timing = parseTiming(text)
  if (timing.kind === 'at') return { at: toInstant(timing.at) }
  const { cron, timezone } = timing
  return timezone === defaultTimezone ? { cron } : { cron, timezone }
}

/** The schedules of the host, which it creates for tenants. Clients can pause them, but not change or remove them. */
export const hostSchedules: readonly string[] = [
  'payload-retention',
  'expiry-sweep',
  'history-retention',
  compactionScheduleId,
  consolidationScheduleId,
  embedScheduleId,
]
