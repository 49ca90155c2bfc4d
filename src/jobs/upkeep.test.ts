import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { putSchedule } from './cron-schedules.ts'
import { hostSchedules, pauseSchedule } from './manage-schedules.ts'
import { scheduleUpkeep, scheduleUpkeepOfAll } from './upkeep.ts'

function openTenants() {
  const world = openUseCases(openInMemoryStore)
  const schedules = (tenantId: string) => world.engine.storage.jobs.schedules(tenantId)
  const add = async (tenantId: string) => {
    await world.engine.contextOf(tenantId)
    return tenantId
  }
  return { ...world, schedules, add }
}

test('a tenant gets a sweep every six hours and a daily pass over its history', async () => {
  await using world = openTenants()
  const tenantId = await world.add('acme')
  await scheduleUpkeep(world.engine.tenant(tenantId))
  const made = await world.schedules(tenantId)
  assert.deepEqual(
    made.map(({ scheduleId, kind, cron }) => [scheduleId, kind, cron.replace(/^\d+ /, '')]),
    [
      ['expiry-sweep', 'colophon.expiry-sweep', '*/6 * * *'],
      ['history-retention', 'colophon.history-retention', '2 * * *'],
    ],
  )
  for (const { scheduleId, nextDueAt } of made) {
    assert.ok(hostSchedules.includes(scheduleId), `${scheduleId} is a schedule of the host`)
    assert.ok(nextDueAt > world.clock.now)
  }
})

test('the minute of a tenant follows from its id, and tenants have different ones', async () => {
  await using world = openTenants()
  const minutes = new Set<string>()
  for (let n = 0; n < 30; n++) {
    const tenantId = await world.add(`tenant-${n}`)
    await scheduleUpkeep(world.engine.tenant(tenantId))
    const own = new Set((await world.schedules(tenantId)).map(({ cron }) => cron.split(' ')[0] ?? ''))
    assert.equal(own.size, 1)
    for (const minute of own) minutes.add(minute)
  }
  assert.ok(minutes.size > 10, `${minutes.size} different minutes`)
  for (const minute of minutes) assert.ok(Number(minute) >= 0 && Number(minute) <= 59, minute)
})

test('an existing schedule does not change, even if paused, and a missing one is created', async () => {
  await using world = openTenants()
  const tenantId = await world.add('acme')
  await scheduleUpkeep(world.engine.tenant(tenantId))
  await pauseSchedule(world.tenant, 'expiry-sweep', {})
  const [paused] = await world.schedules(tenantId)
  await world.engine.storage.jobs.removeSchedule(tenantId, 'history-retention')
  world.clock.advance(24 * 60 * 60 * 1_000)
  await scheduleUpkeep(world.engine.tenant(tenantId))
  const [kept, made] = await world.schedules(tenantId)
  assert.deepEqual(kept, paused)
  assert.equal(made?.scheduleId, 'history-retention')
})

test('an existing schedule with another cron is not changed', async () => {
  await using world = openTenants()
  const tenantId = await world.add('acme')
  const own = { scheduleId: 'expiry-sweep', cron: '7 * * * *', kind: 'colophon.expiry-sweep', payload: { pages: 1 } }
  await putSchedule(world.tenant, own)
  const [before] = await world.schedules(tenantId)
  await scheduleUpkeep(world.engine.tenant(tenantId))
  assert.deepEqual((await world.schedules(tenantId))[0], before)
})

test('every tenant gets its schedules, however many tenants there are', async () => {
  await using world = openTenants()
  const tenants = await Promise.all(Array.from({ length: 201 }, (_, n) => world.add(`tenant-${n}`)))
  await scheduleUpkeepOfAll(world.engine, new AbortController().signal)
  for (const tenantId of tenants) assert.equal((await world.schedules(tenantId)).length, 2, tenantId)
})

test('a server that stops makes no further schedules', async (t) => {
  await using world = openTenants()
  const tenants = [await world.add('a'), await world.add('b'), await world.add('c')]
  const stopping = new AbortController()
  const put = world.engine.storage.jobs.putSchedule
  t.mock.method(world.engine.storage.jobs, 'putSchedule', async (...call: Parameters<typeof put>) => {
    stopping.abort()
    await put(...call)
  })
  await scheduleUpkeepOfAll(world.engine, stopping.signal)
  const made = await Promise.all(tenants.map(async (tenantId) => (await world.schedules(tenantId)).length))
  assert.deepEqual(made, [2, 0, 0], 'the tenant at work is finished')
})
