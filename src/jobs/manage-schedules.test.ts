import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { compactionScheduleId, scheduleCompaction, triggerOf } from '../app/compaction/compaction-schedule.ts'
import { neverDue } from '../core/jobs/schedule.ts'
import { limits } from '../core/limits.ts'
import { fireSchedule, putSchedule } from './cron-schedules.ts'
import {
  hostSchedules,
  listSchedules,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  saveSchedule,
} from './manage-schedules.ts'
import { runScheduleNow } from './run-schedule.ts'
import { schedulableKinds } from './schedulable-kinds.ts'

const draft = { id: 'weekly', cron: '0 4 * * 1', kind: 'colophon.re-redact', payload: { dryRun: true } }
const monday = '2026-01-05T04:00:00.000Z'

async function openSaved() {
  const world = openUseCases(openInMemoryStore)
  const { view } = await saveSchedule(world.tenant, draft, {})
  const recorded = async () => (await world.engine.storage.record(tenantId, 'schedule', draft.id))?.body.facts?.isPaused
  return { ...world, view, recorded, jobs: world.engine.storage.jobs }
}

test('a saved schedule is active and shows its next due time', async () => {
  await using world = await openSaved()
  assert.deepEqual(world.view, { ...draft, status: 'active', isHosts: false, hasDryRun: true, nextDueAt: monday })
  assert.deepEqual(await listSchedules(world.tenant), [world.view])
  assert.equal(await world.recorded(), false)
})

test('the id of a schedule is letters, digits and . _ - up to the limit, beginning with a letter or a digit', async () => {
  await using world = openUseCases(openInMemoryStore)
  const longest = 'a'.repeat(limits.jobKindCharactersMax)
  for (const id of ['a', '7.b_c-D', longest]) await saveSchedule(world.tenant, { ...draft, id }, {})
  for (const id of ['', '.a', '-a', '_a', 'a b', 'a/b', 'a:b', '\u00e4', 'a\n', `${longest}a`]) {
    await rejectsWith('validation_error', saveSchedule(world.tenant, { ...draft, id }, {}))
    assert.equal(await world.engine.storage.record(tenantId, 'schedule', id), null, 'no record is left')
  }
  assert.equal((await listSchedules(world.tenant)).length, 3)
})

test('only work that may repeat at any time can be scheduled', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (const [n, kind] of schedulableKinds.entries())
    await saveSchedule(world.tenant, { ...draft, id: `s${n}`, kind }, {})
  for (const kind of ['colophon.run', 'colophon.webhook', 'colophon.forget', 'mail', ''])
    await rejectsWith('validation_error', saveSchedule(world.tenant, { ...draft, kind }, {}))
})

test('a schedule of the host can be neither saved nor removed', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (const id of hostSchedules) {
    await rejectsWith('already_exists', saveSchedule(world.tenant, { ...draft, id }, {}))
    await rejectsWith('already_exists', removeSchedule(world.tenant, id, {}))
  }
})

test('a schedule of the host can be paused, and is shown as one of the host', async () => {
  await using world = openUseCases(openInMemoryStore)
  await world.engine.contextOf(tenantId)
  const [scheduleId = ''] = hostSchedules
  await putSchedule(world.tenant, { scheduleId, cron: draft.cron, kind: draft.kind })
  const { view } = await pauseSchedule(world.tenant, scheduleId, {})
  assert.deepEqual([view.status, view.isHosts], ['paused', true])
})

test('a schedule with a wrong cron leaves no record', async () => {
  await using world = openUseCases(openInMemoryStore)
  await rejectsWith('validation_error', saveSchedule(world.tenant, { ...draft, cron: 'soon' }, {}))
  assert.equal(await world.engine.storage.record(tenantId, 'schedule', draft.id), null)
})

test('a paused schedule is never due and shows no next due time', async () => {
  await using world = await openSaved()
  const { view, repeated } = await pauseSchedule(world.tenant, draft.id, {})
  assert.deepEqual(view, { ...draft, status: 'paused', isHosts: false, hasDryRun: true })
  assert.equal(repeated, false)
  assert.equal((await world.jobs.schedules(tenantId))[0]?.nextDueAt, neverDue)
  assert.equal(await world.recorded(), true)
  assert.deepEqual((await pauseSchedule(world.tenant, draft.id, {})).view, view, 'a second pause changes nothing')
})

test('a resumed schedule is due at its first time from now on', async () => {
  await using world = await openSaved()
  await pauseSchedule(world.tenant, draft.id, {})
  world.clock.now = Date.parse('2026-01-20T00:00:00Z')
  const { view } = await resumeSchedule(world.tenant, draft.id, {})
  assert.deepEqual([view.status, view.nextDueAt], ['active', '2026-01-26T04:00:00.000Z'])
  assert.equal(await world.recorded(), false)
})

test('resuming an active schedule keeps a due time that has passed', async () => {
  await using world = await openSaved()
  world.clock.now = Date.parse('2026-01-20T00:00:00Z')
  assert.equal((await resumeSchedule(world.tenant, draft.id, {})).view.nextDueAt, monday)
})

test('saving a paused schedule again makes it active, also with the same cron', async () => {
  await using world = await openSaved()
  await pauseSchedule(world.tenant, draft.id, {})
  const { view } = await saveSchedule(world.tenant, { ...draft, payload: null }, {})
  assert.deepEqual([view.status, view.nextDueAt, view.payload], ['active', monday, null])
})

test('a schedule shows when it was last due', async () => {
  await using world = await openSaved()
  const [due] = await world.jobs.schedules(tenantId)
  assert.ok(due)
  world.clock.now = due.nextDueAt
  await fireSchedule(world.tenant, due)
  const [view] = await listSchedules(world.tenant)
  assert.deepEqual([view?.lastDueAt, view?.nextDueAt], [monday, '2026-01-12T04:00:00.000Z'])
})

test('a pause is tried again while a worker moves the schedule at the same moment', async (t) => {
  await using world = await openSaved()
  const move = world.jobs.moveSchedule
  const later = Date.parse('2026-01-12T04:00:00Z')
  const moved = t.mock.method(world.jobs, 'moveSchedule', async (...call: Parameters<typeof move>) => {
    const [, , from] = call
    if (from !== later) await move(tenantId, draft.id, from, later)
    return move(...call)
  })
  assert.equal((await pauseSchedule(world.tenant, draft.id, {})).view.status, 'paused')
  assert.deepEqual(
    moved.mock.calls.map(({ arguments: [, , from, to] }) => [from, to]),
    [
      [Date.parse(monday), neverDue],
      [later, neverDue],
    ],
  )
})

test('a pause that cannot move the schedule is refused after a bounded number of tries', async (t) => {
  await using world = await openSaved()
  t.mock.method(Math, 'random', () => 0)
  const moved = t.mock.method(world.jobs, 'moveSchedule', async () => false)
  await rejectsWith('write_contention', pauseSchedule(world.tenant, draft.id, {}))
  assert.equal(moved.mock.callCount(), limits.decideAttemptsMax)
  assert.equal(await world.recorded(), true, 'the record decides when the schedule is due')
})

test('a schedule can be run now, also while it is paused, and keeps its due time', async () => {
  await using world = await openSaved()
  const { jobId } = await runScheduleNow(world.tenant, draft.id, {})
  const job = await world.jobs.get(tenantId, jobId)
  assert.deepEqual(
    [job?.kind, job?.payload, job?.dueAt],
    [draft.kind, { ...draft.payload, actor: 'test' }, world.clock.now],
  )
  assert.equal((await listSchedules(world.tenant))[0]?.nextDueAt, monday)
  await pauseSchedule(world.tenant, draft.id, {})
  const second = await runScheduleNow(world.tenant, draft.id, { idempotencyKey: 'k' })
  const repeat = await runScheduleNow(world.tenant, draft.id, { idempotencyKey: 'k' })
  assert.notEqual(second.jobId, jobId)
  assert.deepEqual(repeat, { jobId: second.jobId, repeated: true })
})

test('a compaction pass that a client runs now has another trigger than one of the schedule', async () => {
  await using world = openUseCases(openInMemoryStore)
  await scheduleCompaction(world.tenant)
  const { jobId } = await runScheduleNow(world.tenant, compactionScheduleId, {})
  const { jobs } = world.engine.storage
  const [schedule] = await jobs.schedules(tenantId)
  const payload = (await jobs.get(tenantId, jobId))?.payload
  assert.deepEqual([triggerOf(payload), triggerOf(schedule?.payload)], ['client-requested', 'host-managed'])
})

test('a schedule is run dry on request, and one that is dry by itself stays dry', async () => {
  await using world = await openSaved()
  await scheduleCompaction(world.tenant)
  const payloadOf = async (id: string, dryRun?: boolean) => {
    const { jobId } = await runScheduleNow(world.tenant, id, dryRun === undefined ? {} : { dryRun })
    return (await world.jobs.get(tenantId, jobId))?.payload as { dryRun?: boolean }
  }
  assert.equal((await payloadOf(compactionScheduleId, true)).dryRun, true)
  assert.equal((await payloadOf(compactionScheduleId)).dryRun, undefined)
  await saveSchedule(world.tenant, { ...draft, kind: 'colophon.compaction-pass' }, {})
  assert.equal((await payloadOf(draft.id)).dryRun, true)
  await putSchedule(world.tenant, { scheduleId: 'mail', cron: draft.cron, kind: 'mail' })
  await rejectsWith('validation_error', runScheduleNow(world.tenant, 'mail', { dryRun: true }))
})

test('a schedule that does not exist in the tenant can be neither paused nor resumed nor run', async () => {
  await using world = await openSaved()
  for (const call of [pauseSchedule, resumeSchedule, runScheduleNow]) {
    await rejectsWith('not_found', call(world.tenant, 'unknown', {}))
    await rejectsWith('not_found', call(world.engine.tenant('other'), draft.id, {}))
  }
})

test('a removed schedule is deleted with its record, and a second removal finds none', async () => {
  await using world = await openSaved()
  assert.deepEqual(await removeSchedule(world.tenant, draft.id, {}), { deleted: true, repeated: false })
  assert.deepEqual(await listSchedules(world.tenant), [])
  assert.equal(await world.engine.storage.record(tenantId, 'schedule', draft.id), null)
  assert.deepEqual(await removeSchedule(world.tenant, draft.id, {}), { deleted: false, repeated: false })
})

test('a repeated removal with the same idempotency key gives the first answer', async () => {
  await using world = await openSaved()
  const remove = () => removeSchedule(world.tenant, draft.id, { idempotencyKey: 'k' })
  assert.deepEqual(await remove(), { deleted: true, repeated: false })
  assert.deepEqual(await remove(), { deleted: true, repeated: true })
})

test('after downtime one job makes up for all missed due times, or none if the schedule skips them', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant, clock } = world
  for (const [id, missed] of [
    ['all', 'once'],
    ['none', 'skip'],
  ] as const)
    await saveSchedule(tenant, { id, cron: '* * * * *', kind: draft.kind, missed }, {})
  clock.now += 10 * 60_000
  const fired = []
  for (const due of await tenant.storage.jobs.schedules(tenantId))
    fired.push([due.scheduleId, await fireSchedule(tenant, due)])
  assert.deepEqual(fired, [
    ['all', true],
    ['none', false],
  ])
  for (const { nextDueAt } of await tenant.storage.jobs.schedules(tenantId)) assert.ok(nextDueAt > clock.now)
  clock.now += 60_000
  for (const due of await tenant.storage.jobs.schedules(tenantId))
    assert.equal(await fireSchedule(tenant, due), true, `${due.scheduleId} is in time`)
})

test('a due time in a time zone follows its clock changes', async () => {
  await using world = openUseCases(openInMemoryStore)
  const dues = []
  for (const day of ['2026-03-28', '2026-03-29']) {
    world.clock.now = Date.parse(`${day}T12:00:00Z`) - 86_400_000
    const zoned = { id: 'zoned', cron: '30 9 * * *', timezone: 'Europe/Berlin', kind: draft.kind }
    dues.push((await saveSchedule(world.tenant, zoned, {})).view.nextDueAt)
    await removeSchedule(world.tenant, 'zoned', {})
  }
  assert.deepEqual(dues, ['2026-03-28T08:30:00.000Z', '2026-03-29T07:30:00.000Z'])
})
