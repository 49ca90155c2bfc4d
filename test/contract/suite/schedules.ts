import assert from 'node:assert/strict'
import { enqueueJob } from '../../../src/core/jobs/job.ts'
import { neverDue } from '../../../src/core/jobs/schedule.ts'
import { rejectsWith } from './assert-code.ts'
import type { ContractTest } from './world.ts'

/** Recurring jobs: one per due time, one after downtime, never two. */
export function schedulesContract(test: ContractTest): void {
  test('a due schedule fires once, however many workers see it', async ({ colophon, storage, clock }) => {
    const jobs = colophon.jobs('acme')
    await jobs.schedule({ scheduleId: 'nightly', cron: '20 3 * * *', kind: 'sweep', payload: { days: 30 } })
    const [schedule] = await jobs.schedules()
    assert.equal(new Date(schedule?.nextDueAt ?? 0).toISOString(), '2026-01-01T03:20:00.000Z')
    const claim = () => storage.jobs.claim({ now: clock.now, kinds: ['sweep'], limit: 1, change: (job) => job })
    assert.equal(await claim(), null)
    clock.now = Date.parse('2026-01-01T03:20:00Z')
    const due = (await claim())?.schedules[0]
    assert.ok(due)
    const next = Date.parse('2026-01-02T03:20:00Z')
    const job = (n: number) =>
      enqueueJob(
        { jobId: `job_${n}`, kind: 'sweep', payload: due.payload, priority: 0, dueAt: null, attemptsMax: 3 },
        clock.now,
      )
    const fired = await Promise.all([1, 2, 3].map((n) => storage.jobs.fire('acme', due, next, job(n))))
    assert.equal(fired.filter(Boolean).length, 1)
    assert.equal((await jobs.list()).length, 1)
    assert.deepEqual((await jobs.list())[0]?.payload, { days: 30 })
    const [moved] = await jobs.schedules()
    assert.deepEqual([moved?.nextDueAt, moved?.lastDueAt], [next, due.nextDueAt])
  })

  test('missed times are made up for once, by one of two workers', async ({ colophon, clock }) => {
    const jobs = colophon.jobs('acme')
    await jobs.schedule({ scheduleId: 'hourly', cron: '0 * * * *', kind: 'tick' })
    clock.now = Date.parse('2026-01-03T12:30:00Z')
    const ran: string[] = []
    const handlers = {
      async tick(job: { jobId: string }) {
        ran.push(job.jobId)
      },
    }
    const workers = [colophon.worker({ handlers, pollMs: 5 }), colophon.worker({ handlers, pollMs: 5 })]
    const finished = async (count: number) => {
      while ((await jobs.list({ status: 'completed' })).length < count)
        await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await finished(1)
    const [schedule] = await jobs.schedules()
    assert.equal(schedule?.nextDueAt, Date.parse('2026-01-03T13:00:00Z'))
    clock.now = Date.parse('2026-01-03T13:00:00Z')
    await finished(2)
    await Promise.all(workers.map((worker) => worker.stop()))
    assert.equal(ran.length, 2)
    assert.equal((await jobs.list()).length, 2)
  })

  test('registering a schedule again neither skips nor repeats a due time; a changed cron starts anew', async ({
    colophon,
    clock,
  }) => {
    const jobs = colophon.jobs('acme')
    const dueOf = async () => new Date((await jobs.schedules())[0]?.nextDueAt ?? 0).toISOString()
    await jobs.schedule({ scheduleId: 's', cron: '0 6 * * *', kind: 'k', payload: 1 })
    clock.now = Date.parse('2026-01-01T08:00:00Z')
    await jobs.schedule({ scheduleId: 's', cron: '0 6 * * *', kind: 'k', payload: 2 })
    assert.equal(await dueOf(), '2026-01-01T06:00:00.000Z', 'the missed run is still due')
    assert.equal((await jobs.schedules())[0]?.payload, 2)
    await jobs.schedule({ scheduleId: 's', cron: '0 7 * * *', kind: 'k' })
    assert.equal(await dueOf(), '2026-01-02T07:00:00.000Z')
    assert.equal(await jobs.unschedule('s'), true)
    assert.equal(await jobs.unschedule('s'), false)
  })

  test('a schedule is moved only from the due time that was read, and one that is never due starts no job', async (world) => {
    const { colophon, storage, clock } = world
    const jobs = colophon.jobs('acme')
    await jobs.schedule({ scheduleId: 's', cron: '0 6 * * *', kind: 'k' })
    const six = Date.parse('2026-01-01T06:00:00Z')
    const claim = () => storage.jobs.claim({ now: clock.now, kinds: ['k'], limit: 1, change: (job) => job })
    const races = await Promise.all([1, 2, 3].map(() => storage.jobs.moveSchedule('acme', 's', six, neverDue)))
    assert.equal(races.filter(Boolean).length, 1)
    clock.now = six + 1
    assert.deepEqual((await claim())?.schedules ?? [], [])
    assert.equal(await claim(), null, 'the tenant needs no worker')
    await jobs.schedule({ scheduleId: 's', cron: '0 6 * * *', kind: 'k', payload: 2 })
    assert.deepEqual((await claim())?.schedules ?? [], [], 'registering it again does not start it')
    assert.equal(await storage.jobs.moveSchedule('acme', 's', six, six), false)
    assert.equal(await storage.jobs.moveSchedule('acme', 'other', neverDue, six), false)
    assert.equal(await storage.jobs.moveSchedule('other', 's', neverDue, six), false)
    assert.equal(await storage.jobs.moveSchedule('acme', 's', neverDue, six), true)
    assert.deepEqual(
      (await claim())?.schedules.map(({ scheduleId }) => scheduleId),
      ['s'],
    )
  })

  test('impossible schedules are refused', async ({ colophon }) => {
    const jobs = colophon.jobs('acme')
    for (const cron of ['', 'soon', '61 * * * *', '0 0 31 2 *']) {
      await rejectsWith('validation_error', jobs.schedule({ scheduleId: 's', cron, kind: 'k' }))
    }
    await rejectsWith('validation_error', jobs.schedule({ scheduleId: '', cron: '* * * * *', kind: 'k' }))
    assert.deepEqual(await jobs.schedules(), [])
  })
}
