import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { putRule } from '../app/redaction/rules.ts'
import { isColophonError } from '../core/errors.ts'
import { neverDue } from '../core/jobs/schedule.ts'
import { limits } from '../core/limits.ts'
import { fireSchedule, nextDue, payloadOf, putSchedule } from './cron-schedules.ts'

const draft = { scheduleId: 'hourly', cron: '0 * * * *', kind: 'sweep', payload: { days: 30 } }

/** A tenant with one schedule, due at 01:00. */
async function openScheduled() {
  const world = openUseCases(openInMemoryStore)
  await world.engine.contextOf(tenantId)
  await putSchedule(world.tenant, draft)
  const { jobs } = world.engine.storage
  const stored = async () => {
    const [schedule] = await jobs.schedules(tenantId)
    assert.ok(schedule)
    return schedule
  }
  const enqueued = () => jobs.list({ tenantId, status: null, after: null, limit: 10 })
  return { ...world, jobs, stored, enqueued }
}

test('the next due time is the first one after the given instant, in UTC', () => {
  const next = (cron: string, after: string) => new Date(nextDue(cron, Date.parse(after))).toISOString()
  const cases = [
    ['20 3 * * *', '2026-01-01T03:19:59.999Z', '2026-01-01T03:20:00.000Z'],
    ['20 3 * * *', '2026-01-01T03:20:00.000Z', '2026-01-02T03:20:00.000Z'],
    ['20 3 * * *', '2026-01-01T04:00:00+02:00', '2026-01-01T03:20:00.000Z'],
    // Most of Europe has no 02:30 on this day, UTC does.
    ['30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T02:30:00.000Z'],
    ['*/10 * * * * *', '2026-01-01T00:00:01Z', '2026-01-01T00:00:10.000Z'],
    ['0 4 * * 1', '2026-01-01T00:00:00Z', '2026-01-05T04:00:00.000Z'],
    ['0 0 31 * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00:00.000Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 1 1 *', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00.000Z'],
  ] as const
  for (const [cron, after, expected] of cases) assert.equal(next(cron, after), expected, `${cron} after ${after}`)
})

test('a cron expression that is malformed or never due is refused', () => {
  for (const cron of ['', 'soon', '* * * *', '60 * * * *', '* 24 * * *', '0 0 30 2 *', '* * * * * * * *', 7, null])
    assert.throws(
      () => nextDue(cron as string, 0),
      (error) => isColophonError(error, 'validation_error') && error.details.field === 'cron',
      String(cron),
    )
})

test('a date or a cron expression with a year is refused, because it has a last time', () => {
  const before = Date.parse('2026-01-01T00:00:00Z')
  for (const cron of ['2026-01-01T01:00:00', '0 0 1 1 1 * 2027'])
    assert.throws(() => nextDue(cron, before), { code: 'validation_error' }, cron)
  assert.equal(nextDue('@hourly', before), before + 3_600_000)
})

test('a schedule is stored with its next due time and without a last one', async () => {
  await using world = await openScheduled()
  assert.deepEqual(await world.stored(), {
    ...draft,
    nextDueAt: Date.parse('2026-01-01T01:00:00Z'),
    lastDueAt: null,
  })
})

test('a schedule with a wrong member is refused, and nothing is stored', async () => {
  await using world = openUseCases(openInMemoryStore)
  await world.engine.contextOf(tenantId)
  const long = 'x'.repeat(limits.jobKindCharactersMax + 1)
  for (const wrong of [
    { scheduleId: '' },
    { scheduleId: long },
    { scheduleId: 'a\nb' },
    { kind: '' },
    { kind: long },
    { cron: 'soon' },
    { payload: 10n },
    { payload: 'x'.repeat(limits.jobPayloadBytesMax) },
    { extra: 1 },
  ])
    await rejectsWith('validation_error', putSchedule(world.tenant, { ...draft, ...wrong }))
  assert.deepEqual(await world.engine.storage.jobs.schedules(tenantId), [])
})

test('a tenant that has all the schedules it may have can change one but not add one', async (t) => {
  await using world = await openScheduled()
  const full = Array.from({ length: limits.schedulesPerTenantMax - 1 }, (_, n) => ({
    ...draft,
    scheduleId: `s${n}`,
    nextDueAt: 0,
    lastDueAt: null,
  }))
  const mine = await world.stored()
  t.mock.method(world.jobs, 'schedules', async () => [...full, mine])
  await assert.rejects(putSchedule(world.tenant, { ...draft, scheduleId: 'more' }), {
    code: 'validation_error',
    details: { field: 'schedules', limit: 'schedulesPerTenantMax', max: limits.schedulesPerTenantMax },
  })
  await putSchedule(world.tenant, { ...draft, payload: null })
  t.mock.restoreAll()
  assert.equal((await world.stored()).payload, null)
  assert.equal((await world.jobs.schedules(tenantId)).length, 1)
})

test('a secret is removed from the payload of a schedule and refused in its names', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  await putSchedule(world.tenant, { ...draft, payload: { note: 'see TCK-123456' } })
  const [stored] = await world.engine.storage.jobs.schedules(tenantId)
  assert.deepEqual(stored?.payload, { note: 'see [REDACTED:ticket]' })
  for (const name of ['scheduleId', 'kind'])
    await rejectsWith('secret_leakage', putSchedule(world.tenant, { ...draft, [name]: 'TCK-123456' }))
})

test('a due schedule enqueues one job and moves to its next due time', async () => {
  await using world = await openScheduled()
  const due = await world.stored()
  world.clock.now = due.nextDueAt
  assert.equal(await fireSchedule(world.tenant, due), true)
  const [job, ...more] = await world.enqueued()
  assert.equal(more.length, 0)
  assert.deepEqual(
    [job?.kind, job?.payload, job?.status, job?.dueAt, job?.priority, job?.attemptsMax],
    ['sweep', { days: 30 }, 'queued', world.clock.now, 0, limits.jobAttemptsDefault],
  )
  const { nextDueAt, lastDueAt } = await world.stored()
  assert.deepEqual([nextDueAt, lastDueAt], [Date.parse('2026-01-01T02:00:00Z'), due.nextDueAt])
})

test('the times that were missed enqueue one job together', async () => {
  await using world = await openScheduled()
  world.clock.now = Date.parse('2026-01-03T12:30:00Z')
  assert.equal(await fireSchedule(world.tenant, await world.stored()), true)
  assert.equal((await world.enqueued()).length, 1)
  assert.equal((await world.stored()).nextDueAt, Date.parse('2026-01-03T13:00:00Z'))
})

test('a process whose clock is behind does not enqueue a job for the same due time again', async () => {
  await using world = await openScheduled()
  const due = await world.stored()
  world.clock.now = due.nextDueAt - 60_000
  assert.equal(await fireSchedule(world.tenant, due), true)
  assert.equal((await world.stored()).nextDueAt, Date.parse('2026-01-01T02:00:00Z'))
})

test('a schedule that another process has fired enqueues nothing', async () => {
  await using world = await openScheduled()
  const due = await world.stored()
  world.clock.now = due.nextDueAt
  assert.equal(await fireSchedule(world.tenant, due), true)
  assert.equal(await fireSchedule(world.tenant, due), false)
  assert.equal((await world.enqueued()).length, 1)
})

test('a due schedule whose record says paused becomes never due and enqueues nothing', async (t) => {
  await using world = await openScheduled()
  const due = await world.stored()
  world.clock.now = due.nextDueAt
  const asked = t.mock.method(world.engine.storage, 'record', async () => ({ body: { facts: { isPaused: true } } }))
  assert.equal(await fireSchedule(world.tenant, due), false)
  assert.deepEqual(asked.mock.calls[0]?.arguments, [tenantId, 'schedule', 'hourly'])
  assert.equal((await world.stored()).nextDueAt, neverDue)
  assert.deepEqual(await world.enqueued(), [])
})

test('a redaction pass of a schedule is recorded under who made the schedule, whatever its payload says', () => {
  const payload = { dryRun: false, actor: 'key:another' }
  const schedule = { scheduleId: 's', cron: '0 3 * * *', kind: 'colophon.re-redact', nextDueAt: 0, lastDueAt: null }
  assert.deepEqual(payloadOf({ ...schedule, payload }, { by: 'key:own' }), { dryRun: false, actor: 'key:own' })
  assert.deepEqual(payloadOf({ ...schedule, payload: null }, {}), { dryRun: false })
})
