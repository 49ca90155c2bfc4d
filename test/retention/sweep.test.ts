import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sweepExpired } from '../../src/app/retention/sweep-expired.ts'
import { toInstant } from '../../src/core/check.ts'
import { scheduleUpkeep } from '../../src/jobs/upkeep.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { dayMs, never, processOn, stateAt, stores, tenantId, withStore } from './world.ts'

after(releaseServer)

for (const [name, open] of Object.entries(stores)) {
  describe(`the sweep of expired entries on ${name}`, () => {
    test('deletes in small steps, with audit records and change events, and no reader sees a difference', () =>
      withStore(open, async ({ engine, memory, clock, storage }) => {
        const expiresAt = toInstant(clock.now + 1_000)
        const drafts = Array.from({ length: 120 }, (_, number) => ({
          content: `Short ${number}`,
          tags: ['s'],
          expiresAt,
        }))
        await memory.putMany('notes', drafts)
        const kept = await memory.put('notes', { content: 'Stays', tags: ['s'] })
        const before = await memory.snapshot()
        clock.now += 1_000
        const reads = async () => [
          await stateAt(memory, ['notes'], 1),
          await stateAt(memory, ['notes'], before.position),
          JSON.stringify((await memory.list('notes', { tag: 's' })).entries),
          JSON.stringify((await memory.list('notes', { run: { snapshot: before.position, own: [] } })).entries),
        ]
        const seen = await reads()
        const sweeping = sweepExpired(engine.tenant(tenantId), { signal: never })
        // Readers and a writer in between see no difference and do not wait.
        for (let round = 0; round < 10; round++) assert.deepEqual((await reads()).slice(0, 2), seen.slice(0, 2))
        await memory.put('other', { content: 'written meanwhile' })
        assert.deepEqual(await sweeping, { expired: 120 })
        assert.deepEqual(await reads(), seen)
        assert.deepEqual(
          (await memory.list('notes')).entries.map(({ id }) => id),
          [kept.id],
        )
        assert.deepEqual(await sweepExpired(engine.tenant(tenantId), { signal: never }), { expired: 0 })
        const rows = await storage.audit({ tenantId, from: before.position + 1, to: 1_000, limit: 1_000 })
        const swept = rows.map(({ body }) => JSON.parse(body)).filter(({ kind }) => kind === 'memory.expired')
        assert.ok(swept.length >= 3, 'more than one step')
        assert.equal(
          swept.reduce((sum, { counts }) => sum + counts.expired, 0),
          120,
        )
        for await (const change of memory.changes({ after: before.position })) {
          if (change.kind !== 'memory.expired') continue
          assert.equal(change.reason, 'expired')
          break
        }
        assert.equal((await memory.verify({ contents: true })).ok, true)
        assert.equal(engine.host.upkeepCounters.counts().get('expired'), 120)
      }))

    test('runs on a schedule, makes up once for missed times, and of two processes one runs it', () =>
      withStore(open, async ({ engine, memory, clock, storage, again, start }) => {
        await memory.put('notes', { content: 'x', expiresAt: toInstant(clock.now + 1_000) })
        await scheduleUpkeep(engine.tenant(tenantId))
        await scheduleUpkeep(engine.tenant(tenantId))
        const due = (await storage.jobs.schedules(tenantId)).find(({ scheduleId }) => scheduleId === 'expiry-sweep')
        assert.ok(due && due.nextDueAt > clock.now && due.nextDueAt - clock.now <= 6 * 60 * 60_000)
        const second = await again()
        const other = processOn(second, clock)
        clock.now += 10 * dayMs
        const workers = [start(), other.start(), start()]
        const done = async () =>
          (await storage.jobs.list({ tenantId, status: 'completed', after: null, limit: 100 })).filter(
            ({ kind }) => kind === 'colophon.expiry-sweep',
          )
        await eventually('it was swept', async () => (await done()).length > 0)
        await eventually('nothing is left to do', async () => {
          const jobs = await storage.jobs.list({ tenantId, status: null, after: null, limit: 100 })
          return jobs.length === 2 && jobs.every(({ status }) => status === 'completed')
        })
        await Promise.all(workers.map((worker) => worker.stop()))
        if (second !== storage) await second.close()
        assert.deepEqual(
          (await done()).map(({ result }) => result),
          [{ expired: 1 }],
        )
      }))
  })
}
