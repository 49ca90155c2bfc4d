import assert from 'node:assert/strict'
import type { ContractTest } from './world.ts'

/** Tenants are isolated, and so are refs. */
export function isolationContract(test: ContractTest): void {
  test('the same ref in two tenants is two scopes', async ({ colophon }) => {
    const a = colophon.memory('tenant-a')
    const b = colophon.memory('tenant-b')
    const ofA = await a.put('shared/ref', { content: 'of a', tags: ['t'], subject: 'ada' })
    const ofB = await b.put('shared/ref', { content: 'of b', tags: ['t'], subject: 'ada' })
    assert.notEqual(ofA.id, ofB.id)
    for (const [mine, own, foreign] of [
      [a, ofA, ofB],
      [b, ofB, ofA],
    ] as const) {
      assert.deepEqual((await mine.list('shared/ref')).entries, [own])
      assert.deepEqual((await mine.list('shared/ref', { tag: 't' })).entries, [own])
      assert.deepEqual((await mine.list('shared/ref', { asOf: 1 })).entries, [own])
      assert.deepEqual(
        (await mine.list('shared/ref', { run: { snapshot: 1, own: [{ runId: 'r', beforeSequence: 9 }] } })).entries,
        [own],
      )
      assert.equal(await mine.get('shared/ref', foreign.id), null)
      assert.equal(await mine.colophon('shared/ref', foreign.id), null)
      assert.equal(await mine.delete('shared/ref', foreign.id), false)
      await assert.rejects(mine.revise('shared/ref', foreign.id, { content: 'taken over' }), {
        code: 'version_conflict',
      })
    }
    assert.deepEqual((await b.list('shared/ref')).entries, [ofB])
  })

  test('a run id of another tenant gives no access', async ({ colophon }) => {
    const a = colophon.memory('tenant-a')
    await a.put('notes', { content: 'written by run 1 of a' }, { run: { runId: 'run_1', sequence: 0 } })
    await colophon.memory('tenant-b').put('notes', { content: 'of b' })
    const seen = await colophon
      .memory('tenant-b')
      .list('notes', { run: { snapshot: 0, own: [{ runId: 'run_1', beforeSequence: 99 }] } })
    assert.deepEqual(seen.entries, [])
  })

  test('a ref is a name, not a prefix', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    for (const ref of ['user-1', 'user-10', 'user-1/x', 'user-', 'USER-1', 'user_1', 'user%1'])
      await memory.put(ref, { content: ref, tags: ['t'] })
    assert.deepEqual(
      (await memory.list('user-1')).entries.map((entry) => entry.content),
      ['user-1'],
    )
    assert.deepEqual(
      (await memory.list('user-1', { tag: 't' })).entries.map((entry) => entry.content),
      ['user-1'],
    )
    assert.deepEqual(
      (await memory.list('user_1')).entries.map((entry) => entry.content),
      ['user_1'],
    )
  })

  test('keys, jobs and schedules belong to their tenant', async ({ colophon }) => {
    const first = await colophon.memory('a').put('n', { content: 'a' }, { idempotencyKey: 'same' })
    const second = await colophon.memory('b').put('n', { content: 'b' }, { idempotencyKey: 'same' })
    assert.notEqual(first.id, second.id)
    const jobId = await colophon.jobs('a').enqueue({ kind: 'k' })
    assert.equal(await colophon.jobs('b').get(jobId), null)
    await assert.rejects(colophon.jobs('b').cancel(jobId), { code: 'job_not_found' })
    await colophon.jobs('a').schedule({ scheduleId: 's', cron: '0 0 * * *', kind: 'k' })
    assert.equal(await colophon.jobs('b').unschedule('s'), false)
    assert.deepEqual(await colophon.jobs('b').schedules(), [])
    assert.deepEqual(await colophon.jobs('b').list(), [])
  })

  test('a batch that completes a job of another tenant stores nothing', async ({ colophon, storage, clock }) => {
    await colophon.jobs('a').enqueue({ kind: 'k' })
    const claim = await storage.jobs.claim({
      now: clock.now,
      kinds: ['k'],
      limit: 1,
      change: (job) => ({ ...job, status: 'leased', leaseToken: 'token', dueAt: clock.now + 1_000 }),
    })
    const completes = { jobId: claim?.jobs[0]?.jobId ?? '', leaseToken: 'token', spent: false }
    await colophon.memory('b').put('n', { content: 'warm' })
    await assert.rejects(colophon.memory('b').put('n', { content: 'x' }, { completes }), { code: 'job_not_found' })
    assert.equal((await colophon.memory('b').list('n')).entries.length, 1)
  })
}
