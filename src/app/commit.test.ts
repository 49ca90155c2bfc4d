import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../test/contract/suite/assert-code.ts'
import { leaseJob, openUseCases, tenantId, type UseCaseWorld } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { ColophonError, type ErrorCode } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Storage } from '../ports/storage.ts'
import { type Change, commitJob } from './commit.ts'
import { get } from './entries/read.ts'
import { putRule, removeRule } from './redaction/rules.ts'

type Commit = Storage['commit']

/** A storage adapter with a hook before each commit. */
function openWith(before: (batch: Parameters<Commit>[0]) => Promise<void>) {
  return openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const commit: Commit = async (batch) => {
      await before(batch)
      return storage.commit(batch)
    }
    return { ...storage, commit }
  })
}

const putOf = (content: string, entryId = 'mem_1'): Change => ({
  kind: 'memory.written',
  puts: [
    {
      memoryRef: 'notes',
      entryId,
      content,
      tags: [],
      expiresAt: null,
      subject: null,
      origin: { kind: 'api' },
      salt: '00',
    },
  ],
})
const call = { operation: 'put' }
const contentOf = async ({ tenant }: UseCaseWorld, id = 'mem_1') => (await get(tenant, 'notes', id))?.content

test('a text that was redacted before a rule was added is redacted again before it is stored', async () => {
  let hasRule = false
  await using world: UseCaseWorld = openWith(async (batch) => {
    if (batch.puts.length === 0 || hasRule) return
    hasRule = true
    await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  })
  const { outcome } = await world.tenant.commit(putOf('See TCK-123456.'), { call })
  assert.equal(await contentOf(world), 'See [REDACTED:ticket].')
  assert.equal(outcome.entries.length, 1)
})

test('a commit that stays stale although nothing changed is refused after one attempt', async () => {
  let attempts = 0
  await using world = openWith(async () => {
    attempts += 1
    throw new ColophonError('redaction_stale', 'stale')
  })
  await rejectsWith('redaction_stale', world.tenant.commit(putOf('x'), { call }))
  assert.equal(attempts, 1)
})

test('a commit during which the rules keep changing fails after the last attempt', async () => {
  let attempts = 0
  await using world: UseCaseWorld = openWith(async (batch) => {
    if (batch.puts.length === 0) return
    attempts += 1
    await removeRule(world.tenant, 'none')
    await putRule(world.tenant, 'some', { pattern: `x${attempts}` })
  })
  await rejectsWith('redaction_stale', world.tenant.commit(putOf('text'), { call }))
  assert.equal(attempts, limits.redactionAttemptsMax)
})

test('an error other than a stale redaction is rethrown at once', async () => {
  for (const code of ['version_conflict', 'overloaded', 'storage_full'] satisfies ErrorCode[]) {
    let attempts = 0
    await using world = openWith(async () => {
      attempts += 1
      throw new ColophonError(code, 'no')
    })
    await rejectsWith(code, world.tenant.commit(putOf('x'), { call }))
    assert.equal(attempts, 1)
  }
})

test('a step that read under an older redaction is refused before it reaches the store', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putRule(world.tenant, 'first', { pattern: 'first' })
  await world.tenant.commit(putOf('one', 'mem_1'), { call })
  const { version } = (await world.engine.contextOf(tenantId)).redaction
  const stale = world.tenant.commit(putOf('two', 'mem_2'), { call, redactionVersionRead: version - 1 })
  await rejectsWith('reads_stale', stale)
  await world.tenant.commit(putOf('three', 'mem_3'), { call, redactionVersionRead: version })
  assert.deepEqual([await contentOf(world, 'mem_2'), await contentOf(world, 'mem_3')], [undefined, 'three'])
})

test('concurrent changes of rules run one after another, and a failed one does not block the next', async () => {
  let refused = 0
  await using world = openWith(async (batch) => {
    if (!batch.admin.some(({ id }) => id === 'b')) return
    refused += 1
    throw new ColophonError('overloaded', 'no')
  })
  const put = (id: string) => putRule(world.tenant, id, { pattern: `pattern-${id}` })
  const results = await Promise.allSettled(['a', 'b', 'c'].map(put))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(refused, 1)
})

test('an idempotency key belongs to its operation, and to one call of it', async () => {
  await using world = openUseCases(openInMemoryStore)
  const put = (operation: string, content: string, entryId: string) =>
    world.tenant.commit(putOf(content, entryId), { call: { operation, content }, idempotencyKey: 'k' })
  assert.equal((await put('put', 'one', 'mem_1')).repeated, false)
  assert.equal((await put('put', 'one', 'mem_2')).repeated, true)
  assert.equal((await put('put-many', 'one', 'mem_3')).repeated, false)
  await rejectsWith('idempotency_key_mismatch', put('put', 'two', 'mem_4'))
  assert.deepEqual([await contentOf(world, 'mem_2'), await contentOf(world, 'mem_3')], [undefined, 'one'])
})

test('the outcome of a call is found by its idempotency key, and nothing is stored by the look-up', async () => {
  await using world = openUseCases(openInMemoryStore)
  const options = { call: { operation: 'put', content: 'one' }, idempotencyKey: 'k' }
  assert.equal(await world.tenant.findOutcome(options), null)
  const { outcome } = await world.tenant.commit(putOf('one'), options)
  assert.deepEqual(await world.tenant.findOutcome(options), outcome)
  assert.equal(await world.tenant.findOutcome({ call: options.call }), null, 'a call without a key has no first one')
  const other = { ...options, call: { operation: 'put', content: 'two' } }
  await rejectsWith('idempotency_key_mismatch', world.tenant.findOutcome(other))
  await rejectsWith('validation_error', world.tenant.findOutcome({ ...options, idempotencyKey: '' }))
  assert.equal((await world.tenant.snapshot()).position, outcome.position)
})

test('a call that has no canonical form is refused as invalid', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800']) {
    const options = { call: { operation: 'put', value }, idempotencyKey: 'k' }
    await rejectsWith('validation_error', world.tenant.commit(putOf('x'), options))
  }
})

test('a malformed idempotency key or actor is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  const long = 'k'.repeat(limits.idempotencyKeyCharactersMax + 1)
  for (const options of [{ idempotencyKey: '' }, { idempotencyKey: long }, { actor: '' }, { actor: 'a\u0000b' }]) {
    await rejectsWith('validation_error', world.tenant.commit(putOf('x'), { call, ...options }))
  }
})

test('a repeated commit completes the job that repeats it, and stores its effect once', async () => {
  await using world = openUseCases(openInMemoryStore)
  const job = { kind: 'k', payload: null, priority: 0, dueAt: null, attemptsMax: 3 }
  for (const jobId of ['job_1', 'job_2']) {
    await commitJob(world.tenant, { ...job, jobId }, { call: { operation: `enqueue ${jobId}` } })
    const completes = await leaseJob(world, jobId)
    const options = { call, completes, result: { jobId }, idempotencyKey: 'same effect' }
    const { repeated } = await world.tenant.commit(putOf('text', `mem_of_${jobId}`), options)
    assert.deepEqual([repeated, completes.spent], [jobId === 'job_2', true])
    assert.equal((await world.engine.storage.jobs.get(tenantId, jobId))?.status, 'completed')
  }
  assert.deepEqual(
    [await contentOf(world, 'mem_of_job_1'), await contentOf(world, 'mem_of_job_2')],
    ['text', undefined],
  )
})

test('a commit whose lease was lost stores nothing', async () => {
  await using world = openUseCases(openInMemoryStore)
  const job = { jobId: 'job_1', kind: 'k', payload: null, priority: 0, dueAt: null, attemptsMax: 3 }
  await commitJob(world.tenant, job, { call: { operation: 'enqueue' } })
  const completes = { ...(await leaseJob(world, 'job_1')), leaseToken: 'of another worker' }
  await rejectsWith('job_lease_lost', world.tenant.commit(putOf('x'), { call, completes }))
  assert.deepEqual([completes.spent, await contentOf(world)], [false, undefined])
})

test('a new commit notifies readers of changes, a repeated one does not', async () => {
  await using world = openUseCases(openInMemoryStore)
  const woken: number[] = []
  const engine = { ...world.engine, watch: { notify: (_: string, position: number) => woken.push(position) } as never }
  const options = { call, idempotencyKey: 'k' }
  await engine.tenant(tenantId).commit(putOf('x'), options)
  await engine.tenant(tenantId).commit(putOf('x'), options)
  assert.deepEqual(woken, [1])
})
