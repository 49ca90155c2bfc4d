import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leaseJob, openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { QuotaChange } from '../../core/quotas/quota.ts'
import { commitJob } from '../commit.ts'
import type { Engine } from '../engine.ts'
import { readQuotaUses, setQuotas } from './manage-quotas.ts'
import { QuotaService } from './quota-service.ts'
import { UsageGauge } from './usage-gauge.ts'

const inProcess = { streams: 0, requestsInFlight: 0 }
const full = (quota: string, used: number, limit: number) => ({
  code: 'storage_quota_exceeded',
  details: { quota, used, limit },
})

async function openWith(change: QuotaChange, storage = openInMemoryStore) {
  const world = openUseCases(storage)
  await world.tenant.context()
  await setQuotas(world.engine, tenantId, change)
  return world
}

/** A second process on the same store. */
function otherProcess(engine: Engine) {
  const storage = { ...engine.storage, traits: { ...engine.storage.traits, sharedAcrossProcesses: true } }
  const other: Engine = { ...engine, storage, quotas: new QuotaService(storage) }
  return other.tenant(tenantId)
}

test('entries are refused at the quota, a batch as a whole, and a delete makes room', async () => {
  await using world = await openWith({ entries: 3 })
  const { tenant } = world
  const { id } = await tenant.put('notes', { content: 'one' })
  await tenant.put('notes', { content: 'two' })
  await assert.rejects(tenant.putMany('notes', [{ content: 'a' }, { content: 'b' }]), full('entries', 2, 3))
  await tenant.put('log', { content: 'three' })
  await assert.rejects(tenant.put('log', { content: 'four' }), full('entries', 3, 3))
  await tenant.revise('notes', id, { content: 'one again' })
  await tenant.delete('notes', id)
  await tenant.put('log', { content: 'four' })
  await assert.rejects(tenant.put('log', { content: 'five' }), full('entries', 3, 3))
  assert.deepEqual((await readQuotaUses(tenant, inProcess)).entries, { used: 3, limit: 3 })
})

test('concurrent writes of one process do not exceed the quota together', async () => {
  await using world = await openWith({ entries: 5 })
  const puts = Array.from({ length: 20 }, (_, n) => world.tenant.put('notes', { content: `note ${n}` }))
  const outcomes = await Promise.allSettled(puts)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5)
  assert.equal((await world.tenant.list('notes')).entries.length, 5)
})

test('bytes count the texts of all versions, also those that have ended', async () => {
  await using world = await openWith({ bytes: 10 })
  const { id } = await world.tenant.put('notes', { content: 'ünï' })
  await world.tenant.revise('notes', id, { content: 'four' })
  await world.tenant.delete('notes', id)
  await assert.rejects(world.tenant.put('notes', { content: 'xy' }), full('bytes', 9, 10))
  await world.tenant.put('notes', { content: 'x' })
})

test('a retry of a stored call gets its result, whatever the quota says now', async () => {
  await using world = await openWith({ entries: 1, jobsPending: 1 })
  const { tenant } = world
  const first = await tenant.put('notes', { content: 'one' }, { idempotencyKey: 'k' })
  assert.deepEqual(await tenant.put('notes', { content: 'one' }, { idempotencyKey: 'k' }), first)
  await assert.rejects(tenant.put('notes', { content: 'two' }, { idempotencyKey: 'other' }), full('entries', 1, 1))
  await assert.rejects(tenant.put('notes', { content: 'else' }, { idempotencyKey: 'k' }), {
    code: 'idempotency_key_mismatch',
  })
  // The refused key remembers nothing: once there is room, the same call is stored.
  await setQuotas(world.engine, tenantId, { entries: null })
  await tenant.put('notes', { content: 'two' }, { idempotencyKey: 'other' })
})

test('jobs that wait are limited, with a refusal that can be retried, and a job that was accepted can write', async () => {
  await using world = await openWith({ jobsPending: 2, entries: 1 })
  const { tenant } = world
  const job = (jobId: string) => ({ jobId, kind: 'k', payload: {}, priority: 0, dueAt: null, attemptsMax: 1 })
  const enqueue = (jobId: string) => commitJob(tenant, job(jobId), { call: { operation: 'test', jobId } })
  await enqueue('job_1')
  await enqueue('job_2')
  await assert.rejects(enqueue('job_3'), {
    code: 'quota_exceeded',
    retryable: true,
    details: { quota: 'jobsPending', used: 2, limit: 2 },
  })
  await tenant.put('notes', { content: 'one' })
  const completes = await leaseJob(world, 'job_1')
  await tenant.put('notes', { content: 'of the job' }, { completes })
  assert.equal((await tenant.list('notes')).entries.length, 2)
  await enqueue('job_3')
})

test('runs that have not ended are limited, and the memory nodes of a run obey the quota of entries', async () => {
  await using world = await openWith({ runsPending: 1, entries: 1 })
  const config = { memoryRef: 'notes', content: 'a note', into: 'x' }
  await putChain(world, 'writes', [{ id: 'put', typeId: 'colophon.memory.put', config }])
  assert.equal((await startRun(world, { workflowId: 'writes' })).status, 'completed')
  const failed = await startRun(world, { workflowId: 'writes' })
  assert.deepEqual([failed.status, failed.text.error?.code], ['failed', 'storage_quota_exceeded'])
  await putChain(world, 'waits', [{ id: 'w', typeId: 'core.delay', config: { delayMs: 60_000 } }])
  await startRun(world, { workflowId: 'waits' })
  await assert.rejects(startRun(world, { workflowId: 'waits' }), {
    code: 'quota_exceeded',
    details: { quota: 'runsPending', used: 1, limit: 1 },
  })
})

test('a second process exceeds a quota by at most its share, and then sees what the first has stored', async () => {
  await using world = await openWith({ entries: 32 })
  const other = otherProcess(world.engine)
  await other.put('notes', { content: 'seen' })
  for (let n = 1; n < 32; n += 1) await world.tenant.put('notes', { content: `note ${n}` })
  await assert.rejects(world.tenant.put('notes', { content: 'more' }), full('entries', 32, 32))
  let stored = 0
  for (let n = 0; n < 10; n += 1)
    await other.put('notes', { content: `other ${n}` }).then(
      () => (stored += 1),
      () => {},
    )
  assert.ok(stored <= 2, `${stored} of a share of 2`)
  await assert.rejects(other.put('notes', { content: 'more' }), { code: 'storage_quota_exceeded' })
})

test('a whole count that failed is repeated as a whole', async () => {
  let counted = { entries: 3 }
  let fails = false
  const wholes: boolean[] = []
  const gauge = new UsageGauge(
    ['entries'],
    async (isWhole) => {
      wholes.push(isWhole)
      if (fails) throw new Error('no database')
      return counted
    },
    () => 0,
  )
  await gauge.recount(false)
  gauge.invalidate()
  fails = true
  await assert.rejects(gauge.recount(false))
  fails = false
  counted = { entries: 5 }
  await gauge.recount(false)
  await gauge.recount(false)
  assert.deepEqual(wholes, [true, true, true, false])
  assert.equal(gauge.used('entries'), 5)
})

test('without a small quota no write is counted', async () => {
  let counts = 0
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const growth: typeof storage.stats.growth = (query) => {
      counts += 1
      return storage.stats.growth(query)
    }
    return { ...storage, stats: { ...storage.stats, growth } }
  })
  for (let n = 0; n < 50; n += 1) await world.tenant.put('notes', { content: `note ${n}` })
  await otherProcess(world.engine).put('notes', { content: 'by a process that has counted nothing yet' })
  assert.equal(counts, 0)
})

test('one process never exceeds a quota, and refuses only what would exceed it', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('delete' as const), count: fc.constant(1) }),
    fc.record({ kind: fc.constant('quota' as const), count: fc.integer({ min: 0, max: 8 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using world = await openWith({ entries: 5 })
      const { tenant } = world
      const live: string[] = []
      let limit = 5
      for (const { kind, count } of steps) {
        if (kind === 'quota') {
          limit = count
          await setQuotas(world.engine, tenantId, { entries: count })
        } else if (kind === 'delete') {
          const id = live.pop()
          if (id !== undefined) await tenant.delete('notes', id)
        } else {
          const drafts = Array.from({ length: count }, () => ({ content: 'a note' }))
          const stored = await tenant.putMany('notes', drafts).catch(() => null)
          assert.equal(stored !== null, live.length + count <= limit, `${live.length} + ${count} of ${limit}`)
          live.push(...(stored?.entries ?? []).map(({ id }) => id))
        }
      }
      assert.equal((await tenant.list('notes')).entries.length, live.length)
    }),
    { numRuns: 40 },
  )
})
