import assert from 'node:assert/strict'
import { enqueueJob } from '../../../src/core/jobs/job.ts'
import { dayMs, expiredReason } from '../../../src/core/retention.ts'
import type { RunFork } from '../../../src/core/run/run.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import { ensureTenants, eventOf, stepOf, store } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const forkOf = (sourceRunId: string): RunFork => ({
  sourceRunId,
  fromSeq: 0,
  mode: 'replay',
  writerRunId: sourceRunId,
  by: 'test',
})

async function cutTo({ storage }: World, historyFrom: number): Promise<number> {
  await storage.commit(batchOf({ tenantId, kind: 'history.begins', historyFrom }))
  return (await storage.clock(tenantId))?.historyFrom ?? -1
}

async function prune({ storage }: World, ...runIds: string[]): Promise<number> {
  return (await storage.commit(batchOf({ tenantId, kind: 'history.runs_pruned', runsPruned: runIds }))).runsPruned
}

function fill({ colophon }: World, count: number) {
  const memory = colophon.memory(tenantId)
  return Promise.all(Array.from({ length: count }, (_, number) => memory.put('notes', { content: `Note ${number}` })))
}

/** Retention: old rows are found in order, history is cut under the lock, and never below the snapshot of a running run. */
export function historyContract(test: ContractTest): void {
  test('expired entries are found, oldest expiry first, until they are ended', async (world) => {
    const { colophon, storage, clock } = world
    const memory = colophon.memory(tenantId)
    const at = (ms: number) => new Date(clock.now + ms).toISOString()
    const second = await memory.put('a', { content: 'x', tags: ['t'], expiresAt: at(2_000) })
    const first = await memory.put('b', { content: 'x', expiresAt: at(1_000) })
    await memory.put('a', { content: 'later', expiresAt: at(9_000) })
    await memory.put('a', { content: 'never' })
    await colophon.memory('other').put('a', { content: 'x', expiresAt: at(1_000) })
    const expired = (limit = 10) => storage.history.expired({ tenantId, now: clock.now, limit })
    const end = (entryId: string, memoryRef: string, reason = expiredReason) =>
      storage.commit(batchOf({ tenantId, kind: 'memory.expired', ends: [{ memoryRef, entryId, reason }] }))
    assert.deepEqual(await expired(), [])
    assert.deepEqual((await end(second.id, 'a')).outcome.ended, [], 'it is not over yet')
    clock.advance(2_000)
    assert.deepEqual(
      (await expired()).map(({ entryId }) => entryId),
      [first.id, second.id],
    )
    assert.deepEqual(await expired(1), [{ memoryRef: 'b', entryId: first.id }])
    assert.deepEqual((await end(second.id, 'a', 'deleted')).outcome.ended, [], 'only the sweeper ends what has expired')
    assert.equal((await end(second.id, 'a')).outcome.ended.length, 1)
    assert.equal((await end(second.id, 'a')).outcome.ended.length, 0, 'once')
    assert.deepEqual(
      (await expired()).map(({ entryId }) => entryId),
      [first.id],
    )
    const [ended] = await storage.versions(tenantId, [{ memoryRef: 'a', entryId: second.id, version: 1 }])
    assert.equal(ended?.endedReason, expiredReason)
    await assertIntact(memory)
  })

  test('ended versions are listed in the order of their end, in pages, each with whether it is the newest', async (world) => {
    const { colophon, storage } = world
    const memory = colophon.memory(tenantId)
    const [revised, deleted] = await Promise.all(['r', 'd'].map((content) => memory.put('notes', { content })))
    await memory.revise('notes', revised?.id ?? '', { content: 'r2' })
    await memory.delete('notes', deleted?.id ?? '')
    await memory.revise('notes', revised?.id ?? '', { content: 'r3' })
    const ended = async (upTo: number) => {
      const found = []
      for (let after = null; ; ) {
        const page = await storage.history.ended({ tenantId, upTo, after, limit: 2 })
        found.push(...page)
        const last = page.at(-1)
        if (last === undefined)
          return found.map((v) => [v.entryId, v.version, v.endedPosition, v.endedReason, v.isNewest])
        after = last as never
      }
    }
    const all = [
      [revised?.id, 1, 3, 'revised', false],
      [deleted?.id, 1, 4, 'deleted', true],
      [revised?.id, 2, 5, 'revised', false],
    ]
    assert.deepEqual(await ended(5), all)
    assert.deepEqual(await ended(4), all.slice(0, 2))
    assert.deepEqual(await ended(2), [])
  })

  test('the start of history only moves forward, and takes a position and a record only when it moves', async (world) => {
    await fill(world, 5)
    assert.equal((await world.storage.clock(tenantId))?.historyFrom, 0)
    assert.equal(await cutTo(world, 3), 3)
    const position = (await world.storage.clock(tenantId))?.position ?? 0
    assert.equal(position, 6)
    assert.equal(await cutTo(world, 2), 3, 'never back')
    assert.equal((await world.storage.clock(tenantId))?.position, position)
    assert.equal(await cutTo(world, 99), 6, 'never past what there is')
    await fill(world, 1)
    assert.equal((await world.storage.clock(tenantId))?.historyFrom, 6, 'other writes leave it')
    const [row] = await world.storage.audit({ tenantId, from: 6, to: 6, limit: 1 })
    assert.equal(JSON.parse(row?.body ?? '{}').historyFrom, 3)
    assert.equal((await world.colophon.memory(tenantId).verify()).ok, true)
  })

  test('a running run keeps its snapshot readable, for thirty days at most', async (world) => {
    const { clock } = world
    await fill(world, 3)
    const run = await store(world, stepOf('run_1'))
    await fill(world, 3)
    assert.equal(await cutTo(world, 6), run.snapshot.position)
    clock.advance(30 * dayMs)
    assert.equal(await cutTo(world, 6), run.snapshot.position)
    clock.advance(2 * dayMs)
    assert.equal(await cutTo(world, 6), 6)
  })

  test('a run that ends releases its snapshot', async (world) => {
    await fill(world, 3)
    const run = await store(world, stepOf('run_1'))
    await fill(world, 3)
    await store(world, stepOf(run, { status: 'completed' }))
    assert.equal(await cutTo(world, 6), 6)
  })

  test('a run cannot start on a snapshot before the start of history, nor replay one', async (world) => {
    await fill(world, 4)
    const source = await store(world, stepOf('run_1', { status: 'completed' }))
    await fill(world, 4)
    const old = { position: 2, at: 1 }
    const fork = (snapshot = source.snapshot) => stepOf('run_2', { snapshot, facts: { fork: forkOf('run_1') } })
    assert.equal(await cutTo(world, 4), 4)
    await rejectsWith('replay_memory_snapshot_unavailable', store(world, fork(old)))
    await rejectsWith('snapshot_expired', store(world, stepOf('run_3', { snapshot: old })))
    assert.equal(await prune(world, 'run_1'), 1)
    await rejectsWith('replay_memory_snapshot_unavailable', store(world, fork()))
  })

  test('of a concurrent fork and history cut, one is refused', async (world) => {
    for (let round = 0; round < 5; round++) {
      await fill(world, 2)
      const { position } = (await world.storage.clock(tenantId)) ?? { position: 0 }
      const source = await store(world, stepOf(`run_s${round}`, { status: 'completed' }))
      await fill(world, 2)
      const step = stepOf(`run_f${round}`, { snapshot: source.snapshot, facts: { fork: forkOf(source.runId) } })
      const [forked] = await Promise.allSettled([
        store(world, step),
        cutTo(world, position + 2),
        prune(world, source.runId),
      ])
      const isLive = forked.status === 'fulfilled'
      const from = (await world.storage.clock(tenantId))?.historyFrom ?? 0
      assert.equal(from <= source.snapshot.position, isLive)
      assert.equal((await world.storage.runs.get(tenantId, source.runId)) !== null, isLive)
      if (forked.status === 'fulfilled') await store(world, stepOf(forked.value, { status: 'cancelled' }))
    }
  })

  test('ended runs are deleted with all their records, running ones are not', async (world) => {
    const { storage } = world
    await ensureTenants(world, tenantId, 'other')
    const call = {
      ordinal: 0,
      sequence: 0,
      nodeId: 'n',
      op: 'list',
      memoryRef: 'notes',
      entries: [],
      position: 0,
      at: 1,
    } as const
    const parts = {
      status: 'completed',
      events: [eventOf('run.started'), eventOf('run.completed')],
      calls: [call],
    } as const
    await store(world, stepOf('run_1', parts))
    await store(world, stepOf('run_1', parts), 'other')
    await fill(world, 1)
    await store(world, stepOf('run_2'))
    await store(world, stepOf('run_3', parts))
    const ages = await storage.history.runs({ tenantId, after: null, limit: 10 })
    assert.deepEqual(
      ages.map(({ runId, endedAt, nextSequence, snapshotPosition }) => [
        runId,
        endedAt !== null,
        nextSequence,
        snapshotPosition,
      ]),
      [
        ['run_1', true, 2, 0],
        ['run_2', false, 0, 2],
        ['run_3', true, 2, 2],
      ],
    )
    const { now } = world.clock
    assert.equal(await storage.history.oldestSnapshot(tenantId, now - 1), 2, 'of the unfinished run')
    assert.equal(await storage.history.oldestSnapshot(tenantId, now), null, 'no run was created later')
    assert.equal(await storage.history.oldestSnapshot('other', 0), null, 'its run has ended')
    assert.deepEqual(
      (await storage.history.runs({ tenantId, after: 'run_1', limit: 1 })).map(({ runId }) => runId),
      ['run_2'],
    )
    assert.equal(await prune(world, 'run_1', 'run_2', 'run_3', 'run_4'), 1, 'run_3 has the snapshot of one under way')
    assert.equal(await storage.runs.get(tenantId, 'run_1'), null)
    assert.deepEqual(await storage.runs.events({ tenantId, runId: 'run_1', from: 0, limit: 9 }), [])
    assert.deepEqual(await storage.runs.calls({ tenantId, runId: 'run_1', from: 0, limit: 9 }), [])
    for (const [tenant, runId] of [
      [tenantId, 'run_2'],
      [tenantId, 'run_3'],
      ['other', 'run_1'],
    ] as const)
      assert.notEqual(await storage.runs.get(tenant, runId), null)
    assert.equal((await storage.runs.calls({ tenantId: 'other', runId: 'run_1', from: 0, limit: 9 })).length, 1)
    const { position = 0 } = (await storage.clock(tenantId)) ?? {}
    const [row] = await storage.audit({ tenantId, from: position, to: position, limit: 1 })
    assert.deepEqual(JSON.parse(row?.body ?? '{}').runsPruned, ['run_1'])
  })

  test('ended jobs are deleted, waiting ones are not', async (world) => {
    const { storage, clock } = world
    await ensureTenants(world, tenantId)
    const job = { kind: 'k', payload: 'text', priority: 0, dueAt: null, attemptsMax: 1 }
    await storage.commit(batchOf({ tenantId, jobs: ['job_1', 'job_2'].map((jobId) => ({ ...job, jobId })) }))
    const ended = {
      ...enqueueJob({ ...job, jobId: 'job_1' }, clock.now),
      status: 'completed',
      endedAt: clock.now,
    } as const
    await storage.jobs.update(tenantId, 'job_1', () => ended)
    const ages = await storage.history.jobs({ tenantId, after: null, limit: 10 })
    assert.deepEqual(
      ages.map(({ jobId, kind, status, endedAt }) => [jobId, kind, status, endedAt]),
      [
        ['job_1', 'k', 'completed', clock.now],
        ['job_2', 'k', 'queued', null],
      ],
    )
    assert.deepEqual(
      (await storage.history.jobs({ tenantId, after: 'job_1', limit: 10 })).map(({ jobId }) => jobId),
      ['job_2'],
    )
    assert.equal(await storage.history.removeJobs('other', ['job_1']), 0)
    assert.equal(await storage.history.removeJobs(tenantId, ['job_1', 'job_2', 'job_3']), 1)
    assert.equal(await storage.jobs.get(tenantId, 'job_1'), null)
    assert.equal((await storage.jobs.get(tenantId, 'job_2'))?.status, 'queued')
  })

  test('idempotency keys of an idle tenant are deleted, oldest first', async (world) => {
    const { colophon, storage, clock } = world
    const memory = colophon.memory(tenantId)
    for (const key of ['one', 'two', 'three']) {
      await memory.put('notes', { content: key }, { idempotencyKey: key })
      clock.advance(1_000)
    }
    const remove = (limit: number) => storage.history.removeOutcomes({ tenantId, before: clock.now - 2_000, limit })
    assert.deepEqual([await remove(1), await remove(9), await remove(9)], [1, 1, 0])
    const repeated = async (key: string) => {
      const before = (await storage.clock(tenantId))?.position
      await memory.put('notes', { content: key }, { idempotencyKey: key })
      return (await storage.clock(tenantId))?.position === before
    }
    assert.deepEqual([await repeated('three'), await repeated('one')], [true, false])
  })
}
