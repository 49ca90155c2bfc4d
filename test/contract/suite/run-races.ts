import assert from 'node:assert/strict'
import { isColophonError } from '../../../src/core/errors.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { claimOf, ensureTenants, eventOf, stepOf, store } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const codesOf = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((result) =>
    result.status === 'fulfilled' ? 'stored' : isColophonError(result.reason) ? result.reason.code : result.reason,
  )

const listed = async ({ storage }: World) =>
  (await storage.runs.list({ tenantId: 'acme', status: null, workflowId: null, after: null, limit: 1_000 })).map(
    ({ runId }) => runId,
  )

const eventsOf = async ({ storage }: World, runId: string) =>
  (await storage.runs.events({ tenantId: 'acme', runId, from: 0, limit: 1_000 })).map(({ type }) => type)

/** A step is stored only on the state it was decided on; a scope has one running run at a time. */
export function runRacesContract(test: ContractTest): void {
  test('a batch with a stale step is refused as a whole', async (world) => {
    await ensureTenants(world, 'acme')
    const memory = world.colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'kept' })
    const first = await store(world, stepOf('run_1'))
    const other = await store(world, stepOf('run_2'))
    const current = await store(world, stepOf(first, { events: [eventOf('kept')] }))
    const job = { jobId: 'job_1', kind: 'k', payload: {}, priority: 0, dueAt: null, attemptsMax: 3 }
    for (const stale of [stepOf(first), stepOf('run_1'), stepOf('run_none', { expects: 1 })]) {
      const batch = batchOf({
        tenantId: 'acme',
        revisions: [
          {
            memoryRef: 'notes',
            entryId: entry.id,
            revives: false,
            content: 'lost',
            tags: [],
            origin: { kind: 'api' },
            salt: 's',
          },
        ],
        jobs: [job],
        runs: [
          stepOf('run_3', { events: [eventOf('lost')] }),
          stepOf(other, { status: 'failed', events: [eventOf('lost')] }),
          { ...stale, events: [eventOf('lost')] },
        ],
        idempotency: { key: 'op:k', digest: 'd', tombstone: 'erased:k' },
      })
      await rejectsWith('run_changed', world.storage.commit(batch))
    }
    assert.deepEqual(await memory.get('notes', entry.id), entry)
    assert.equal((await memory.snapshot()).position, 1)
    assert.equal(await world.storage.jobs.get('acme', 'job_1'), null)
    assert.deepEqual(await listed(world), ['run_2', 'run_1'])
    assert.deepEqual(await world.storage.runs.get('acme', 'run_1'), current)
    assert.deepEqual(await world.storage.runs.get('acme', 'run_2'), other)
    assert.deepEqual([await eventsOf(world, 'run_1'), await eventsOf(world, 'run_2')], [['kept'], []])
    assert.deepEqual(await eventsOf(world, 'run_3'), [])
    const free = batchOf({
      tenantId: 'acme',
      runs: [stepOf('run_3')],
      idempotency: { key: 'op:k', digest: 'd', tombstone: 'erased:k' },
    })
    assert.equal((await world.storage.commit(free)).repeated, false, 'a refused call does not use its key')
  })

  test('of fifty concurrent steps on the same revision one is stored', async (world) => {
    await ensureTenants(world, 'acme')
    const run = await store(world, stepOf('run_1'))
    const steps = Array.from({ length: 50 }, (_, n) => store(world, stepOf(run, { events: [eventOf(`e${n}`)] })))
    const codes = codesOf(await Promise.allSettled(steps))
    assert.equal(codes.filter((code) => code === 'stored').length, 1)
    assert.equal(codes.filter((code) => code === 'run_changed').length, 49)
    const stored = await world.storage.runs.get('acme', 'run_1')
    assert.deepEqual([stored?.revision, stored?.nextSequence], [2, 1])
    assert.deepEqual(await eventsOf(world, 'run_1'), [`e${codes.indexOf('stored')}`])
  })

  test('many steps of one run may share a group, and each sees the one before', async (world) => {
    await ensureTenants(world, 'acme')
    const made = stepOf('run_1', { events: [eventOf('e0')] })
    const steps = Array.from({ length: 100 }, (_, n) => ({
      ...made,
      expects: n,
      firstSequence: n,
      events: [eventOf(`e${n}`)],
      run: { ...made.run, text: { ...made.run.text, variables: { n } } },
    }))
    // In between a stale one, which must not disturb the others.
    const calls = steps.flatMap((step, n) => [store(world, step), ...(n === 50 ? [store(world, stepOf('run_1'))] : [])])
    const settled = await Promise.allSettled(calls)
    assert.deepEqual(
      codesOf(settled).flatMap((code, n) => (code === 'stored' ? [] : [[n, code]])),
      [[51, 'run_changed']],
    )
    const run = await world.storage.runs.get('acme', 'run_1')
    assert.deepEqual([run?.revision, run?.nextSequence, run?.text.variables], [100, 100, { n: 99 }])
    assert.deepEqual(
      await eventsOf(world, 'run_1'),
      steps.map((_, n) => `e${n}`),
    )
  })

  test('two hundred runs that start at once are all stored', async (world) => {
    await ensureTenants(world, 'acme')
    const ids = Array.from({ length: 200 }, (_, n) => `run_${String(n).padStart(3, '0')}`)
    const made = await Promise.all(ids.map((runId) => store(world, stepOf(runId, { events: [eventOf(runId)] }))))
    await Promise.all(made.map((run) => store(world, stepOf(run, { status: 'completed', events: [eventOf('end')] }))))
    assert.deepEqual(await listed(world), ids.toReversed())
    for (const runId of ids) assert.deepEqual(await eventsOf(world, runId), [runId, 'end'])
    const keys = ids.map((runId) => ({ tenantId: 'acme', runId }))
    assert.deepEqual(new Set((await world.storage.runs.sequences(keys)).values()), new Set([2]))
  })

  test('a claimed scope has one running run', async (world) => {
    await ensureTenants(world, 'acme')
    const first = await store(world, claimOf('run_1', 'scope'))
    await assert.rejects(store(world, claimOf('run_2', 'scope')), {
      code: 'run_already_active',
      details: { activeRunId: 'run_1', activeHost: 'cloud', retryAfter: 1 },
    })
    assert.equal(await world.storage.runs.get('acme', 'run_2'), null)
    await store(world, claimOf('run_2', 'other scope'))
    await store(world, stepOf('run_3', { facts: { scopeId: 'third' } }))
    await rejectsWith('run_already_active', store(world, claimOf('run_4', 'third')))
    const waiting = await store(world, stepOf(first, { status: 'waiting-input', claimsScope: 'scope' }))
    await rejectsWith('run_already_active', store(world, claimOf('run_4', 'scope')))
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      const [run] = await world.storage.runs.list({
        tenantId: 'acme',
        status: 'waiting-input',
        workflowId: null,
        after: null,
        limit: 1,
      })
      const found = await world.storage.runs.get('acme', run?.runId ?? '')
      await store(world, stepOf(found ?? waiting, { status }))
      const next = { ...claimOf(`run_after_${status}`, 'scope') }
      await store(world, { ...next, run: { ...next.run, status: 'waiting-input' } })
    }
    await rejectsWith('run_already_active', store(world, claimOf('run_5', 'scope')))
  })

  test('of twenty runs that claim a scope at once one starts', async (world) => {
    await ensureTenants(world, 'acme')
    const claims = Array.from({ length: 20 }, (_, n) => store(world, claimOf(`run_${n}`, 'scope')))
    const codes = codesOf(await Promise.allSettled(claims))
    assert.equal(codes.filter((code) => code === 'stored').length, 1)
    assert.equal(codes.filter((code) => code === 'run_already_active').length, 19)
    assert.equal((await listed(world)).length, 1)
  })

  test('a run that ends frees its scope for the next of the same group', async (world) => {
    await ensureTenants(world, 'acme')
    const old: Run = await store(world, claimOf('run_0', 'scope'))
    const first = claimOf('run_1', 'scope')
    const settled = await Promise.allSettled([
      store(world, claimOf('run_a', 'scope')),
      store(world, stepOf(old, { status: 'completed' })),
      store(world, first),
      store(world, claimOf('run_b', 'scope')),
      store(world, { ...first, expects: 1, run: { ...first.run, status: 'failed' } }),
      store(world, claimOf('run_2', 'scope')),
      store(world, claimOf('run_c', 'scope')),
    ])
    const refused = 'run_already_active'
    assert.deepEqual(codesOf(settled), [refused, 'stored', 'stored', refused, 'stored', 'stored', refused])
    assert.deepEqual(await listed(world), ['run_2', 'run_1', 'run_0'])
  })
}
