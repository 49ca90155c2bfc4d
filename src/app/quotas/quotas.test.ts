import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertCounted, otherBytesOf } from '../../../test/contract/suite/counted.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import {
  leaseJob,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { scopes } from '../../core/access/scopes.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { QuotaChange } from '../../core/quotas/quota.ts'
import { countedTables } from '../../core/quotas/stored-bytes.ts'
import { createKey, revokeKey } from '../access/keys.ts'
import { commitJob } from '../commit.ts'
import { cancelCommitment, createCommitment, editCommitment } from '../commitments/manage-commitments.ts'
import type { Engine } from '../engine.ts'
import { add } from '../provenance/add.ts'
import { putRule, removeRule, writeSettings } from '../redaction/rules.ts'
import { createRun } from '../runs/create-run.ts'
import { resolveInterrupt } from '../runs/resolve-interrupt.ts'
import type { Tenant } from '../tenant.ts'
import { readQuotaUses, setQuotas } from './manage-quotas.ts'
import { QuotaService } from './quota-service.ts'
import { UsageGauge } from './usage-gauge.ts'

const inProcess = { streams: 0, requestsInFlight: 0 }
const caller = { actor: 'test', keyId: 'key_1', requestId: 'req_1' }
const operator = { scopes, reader: null, endsAt: null }
const full = (quota: string, used: number, limit: number) => ({
  code: 'storage_quota_exceeded',
  details: { quota, used, limit },
})

async function openWith(change: QuotaChange, storage = openInMemoryStore) {
  const world = openUseCases(storage)
  // Counting takes no time, so that it may always begin again.
  Object.assign(world.engine, { quotas: new QuotaService(world.engine.storage, {}, () => 0) })
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

const bytesUsed = async ({ tenant }: { tenant: Tenant }) => (await readQuotaUses(tenant, inProcess)).bytes.used

/** Sets a quota of bytes at which exactly these are left. */
async function leave(world: UseCaseWorld, bytes: number): Promise<number> {
  await setQuotas(world.engine, tenantId, { bytes: 1_000_000 })
  const limit = (await bytesUsed(world)) + bytes
  await setQuotas(world.engine, tenantId, { bytes: limit })
  // The record of the quotas is stored too: its number may have fewer digits now.
  const used = await bytesUsed(world)
  await setQuotas(world.engine, tenantId, { bytes: used + bytes })
  return used + bytes
}

test('bytes count the texts of all versions, also those that have ended', async () => {
  await using world = await openWith({})
  const before = await bytesUsed(world)
  const { id } = await world.tenant.put('notes', { content: 'ünï' })
  await world.tenant.revise('notes', id, { content: 'four' })
  await world.tenant.delete('notes', id)
  const frame = 'notes["source:api"]'.length
  assert.equal((await bytesUsed(world)) - before, 5 + 4 + 2 * frame)
  const limit = await leave(world, frame + 1)
  await assert.rejects(world.tenant.put('notes', { content: 'xy' }), full('bytes', limit - frame - 1, limit))
  await world.tenant.put('notes', { content: 'x' })
  const tags = ['x'.repeat(200)]
  await setQuotas(world.engine, tenantId, { bytes: limit + 200 })
  await assert.rejects(world.tenant.put('notes', { content: 'x', tags }), { code: 'storage_quota_exceeded' })
})

test('whatever a client makes the server store is refused at the quota, and what it removes makes room', async () => {
  await using world = await openWith({})
  const { tenant } = world
  const long = 'word '.repeat(2_000)
  const nodes = [{ id: 'w', typeId: 'core.delay', config: { delayMs: 60_000 } }]
  await putChain(world, 'waits', nodes)
  const stores: Readonly<Record<string, (nth: number) => Promise<unknown>>> = {
    'a source event': (nth) => add(tenant, addRequest(said(`${long} ${nth}`)), caller),
    'a workflow': (nth) => putChain(world, `big${nth}`, nodes, { metadata: { long } }),
    'the inputs of a run': () => createRun(tenant, { workflowId: 'waits', inputs: { long } }),
    'the metadata of a run': () => createRun(tenant, { workflowId: 'waits', metadata: { long } }),
    'a rule': (nth) => putRule(tenant, `r${nth}`, { pattern: 'secret-[0-9]{9}', description: long.slice(0, 200) }),
  }
  for (const [what, store] of Object.entries(stores)) {
    await setQuotas(world.engine, tenantId, { bytes: null })
    const before = await bytesUsed(world)
    await store(1)
    const cost = (await bytesUsed(world)) - before
    assert.ok(cost >= (what === 'a rule' ? 150 : long.length), `${what} counts ${cost}`)
    await leave(world, Math.floor(cost / 2))
    await assert.rejects(store(2), { code: 'storage_quota_exceeded' }, what)
    await leave(world, cost * 2)
    await store(3)
  }
  const { bytes } = await readQuotaUses(tenant, inProcess)
  await removeRule(tenant, 'r1')
  assert.ok((await bytesUsed(world)) < bytes.used, 'a rule that is removed is not counted')
})

test('with a full quota a key is revoked, a session ends, and a retry of a stored call is answered', async () => {
  await using world = await openWith({})
  const { tenant } = world
  const key = await createKey(tenant, operator, { name: 'reader', scopes: ['memory:read'] })
  await setQuotas(world.engine, tenantId, { bytes: 0 })
  await revokeKey(tenant, key.id)
  await assert.rejects(tenant.put('notes', { content: 'x' }), { code: 'storage_quota_exceeded' })
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
    const bytes: typeof storage.stats.bytes = (query) => {
      counts += 1
      return storage.stats.bytes(query)
    }
    return { ...storage, stats: { ...storage.stats, growth, bytes } }
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

/** What the rows of the tenant have, from the rows one by one. */
async function bytesOfRows({ engine }: UseCaseWorld): Promise<number> {
  const { stats } = engine.storage
  await assertCounted(engine.storage, tenantId)
  let sum = (await stats.growth({ tenantId, after: 0, to: Number.MAX_SAFE_INTEGER })).bytes
  for (const table of countedTables) sum += await otherBytesOf(engine.storage, tenantId, table)
  return sum
}

test('the bytes that a process counts as it goes are those of the stored rows, after any history, and never far beyond the quota', async () => {
  const limit = 30_000
  const opBytesMax = 9_000
  const step = fc.record({
    kind: fc.constantFrom('put', 'revise', 'delete', 'add', 'workflow', 'run', 'rule', 'unrule', 'recount'),
    size: fc.integer({ min: 1, max: 3_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using world = await openWith({})
      const { tenant, engine } = world
      await putChain(world, 'waits', [{ id: 'w', typeId: 'core.delay', config: { delayMs: 60_000 } }])
      await setQuotas(engine, tenantId, { bytes: limit })
      const live: string[] = []
      const acts: Readonly<Record<string, (text: string, nth: number) => Promise<unknown>>> = {
        put: async (content) => live.push((await tenant.put('notes', { content })).id),
        revise: async (content) => live[0] && tenant.revise('notes', live[0], { content }),
        delete: async () => live.length > 0 && tenant.delete('notes', live.pop() ?? ''),
        add: (text, nth) => add(tenant, addRequest(said(`${text} ${nth}`)), caller),
        workflow: (text, nth) => putChain(world, `w${nth}`, [{ id: 'n', typeId: 'core.noop' }], { metadata: { text } }),
        run: (text) => createRun(tenant, { workflowId: 'waits', inputs: { text } }),
        rule: (text, nth) =>
          putRule(tenant, `r${nth % 3}`, { pattern: 'never[0-9]{9}', description: text.slice(0, 100) }),
        unrule: async (_text, nth) => removeRule(tenant, `r${nth % 3}`).catch(() => null),
        recount: () => bytesUsed(world),
      }
      for (const [nth, { kind, size }] of steps.entries()) {
        const before = await bytesOfRows(world)
        const refused = await acts[kind]?.('word '.repeat(size / 5 + 1), nth).then(
          () => false,
          (error: unknown) => {
            if (isColophonError(error, 'storage_quota_exceeded')) return true
            throw error
          },
        )
        if (refused) assert.ok(before + opBytesMax > limit, `${kind} refused at ${before}`)
        // What the host adds itself, and what one count may miss.
        assert.ok((await bytesOfRows(world)) <= limit * (1 + limits.quotaRecountShare) + 2_000, kind)
      }
      const fresh = new QuotaService(engine.storage)
      assert.equal((await fresh.usage(tenantId)).bytes, await bytesOfRows(world), 'a process that starts now')
      assert.equal(await bytesUsed(world), await bytesOfRows(world))
    }),
    { numRuns: 25 },
  )
})

test('with a full quota a conversation takes no further turns, except the last one, and a commitment is not edited', async () => {
  await using world = await openWith({})
  const { engine, tenant } = world
  await writeSettings(tenant, { conversationRetention: 'keep' })
  const agent = { agentId: 'local.team.host' }
  await putChain(world, 'visit', [
    { id: 'talk', typeId: 'core.conversationGate', config: { prompt: 'Hello', into: 'said' }, agent },
  ])
  const run = await startRun(world, { workflowId: 'visit' })
  const answer = (operation: string, content: string, idempotencyKey?: string) =>
    resolveInterrupt(
      tenant,
      { runId: run.runId, nodeId: 'talk' },
      { value: { operation, turn: { content } }, by: 'key_1' },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    )
  const draft = { intention: 'Pay the rent.', memoryRef: 'notes', at: new Date(world.clock.now + 60_000).toISOString() }
  const { view } = await createCommitment(tenant, draft, {})
  const text = 'word '.repeat(4_000)
  await answer('exchange', text, 'turn-1')
  await setQuotas(engine, tenantId, { bytes: (await readQuotaUses(tenant, inProcess)).bytes.used })
  const isFull = (error: unknown) => isColophonError(error, 'storage_quota_exceeded')
  await assert.rejects(answer('exchange', text), isFull)
  assert.equal((await answer('exchange', text, 'turn-1')).repeated, true)
  await assert.rejects(editCommitment(tenant, view.id, { intention: 'Pay the other rent.' }, {}), isFull)
  await cancelCommitment(tenant, view.id, {})
  await answer('close', 'bye')
})
