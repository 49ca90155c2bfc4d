import assert from 'node:assert/strict'
import { limits } from '../../../src/core/limits.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import type { ContractTest } from './world.ts'

/** A key makes a retry safe: the first result again, never a second effect. */
export function idempotencyContract(test: ContractTest): void {
  test('a repeated call returns the first result and changes nothing', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const draft = { content: 'once', tags: ['t'], expiresAt: new Date(clock.now + 60_000).toISOString() }
    const first = await memory.put('notes', draft, { idempotencyKey: 'k1' })
    clock.advance(59_000)
    assert.deepEqual(await memory.put('notes', draft, { idempotencyKey: 'k1' }), first)
    const many = [{ content: 'a' }, { content: 'b' }]
    const batch = await memory.putMany('notes', many, { idempotencyKey: 'k2' })
    assert.deepEqual(await memory.putMany('notes', many, { idempotencyKey: 'k2' }), { ...batch, repeated: true })
    assert.equal((await memory.snapshot()).position, 2)
  })

  test('the first result is returned also when the entry was changed since', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const first = await memory.put('notes', { content: 'v1' }, { idempotencyKey: 'put' })
    const second = await memory.revise('notes', first.id, { content: 'v2' }, { idempotencyKey: 'revise' })
    assert.deepEqual(await memory.put('notes', { content: 'v1' }, { idempotencyKey: 'put' }), first)
    assert.deepEqual(await memory.revise('notes', first.id, { content: 'v2' }, { idempotencyKey: 'revise' }), second)
    assert.equal((await memory.snapshot()).position, 2)
  })

  test('a retry does not show what was deleted or has expired since', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const put = () => memory.put('notes', { content: 'v1 canary' }, { idempotencyKey: 'put' })
    const { id } = await put()
    const revise = () => memory.revise('notes', id, { content: 'v2 canary' }, { idempotencyKey: 'revise' })
    await revise()
    const many = () => memory.putMany('notes', [{ content: 'a' }, { content: 'b' }], { idempotencyKey: 'many' })
    const [one] = (await many()).entries
    const expiresAt = new Date(clock.now + 60_000).toISOString()
    const brief = () => memory.put('notes', { content: 'brief canary', expiresAt }, { idempotencyKey: 'brief' })
    await brief()
    for (const entryId of [id, one?.id ?? ''])
      assert.equal(await memory.delete('notes', entryId, { idempotencyKey: entryId }), true)
    clock.advance(60_000)
    for (const again of [put, revise, many, brief]) await rejectsWith('content_erased', again(), 'canary')
    assert.equal(await memory.delete('notes', id, { idempotencyKey: id }), true, 'a delete keeps its first answer')
    assert.equal((await memory.snapshot()).position, 6)
  })

  test('a key that remembers a refusal refuses the same call again, and stores nothing', async ({
    colophon,
    storage,
    clock,
  }) => {
    const tenantId = 'acme'
    await colophon.memory(tenantId).put('other', { content: 'makes the tenant' })
    const refusal = { code: 'run_state', message: 'It has ended.', details: { runStatus: 'completed' } } as const
    const idempotency = { key: 'run.pause:a', digest: 'd', tombstone: 'erased:a' }
    const origin = { kind: 'api' } as const
    const entry = { memoryRef: 'notes', tags: [], expiresAt: null, subject: null, salt: 's', origin }
    const write = batchOf({ tenantId, puts: [{ ...entry, entryId: 'mem_1', content: 'x' }], idempotency })
    const kept = await storage.commit(batchOf({ tenantId, refusal, idempotency }))
    assert.deepEqual([kept.repeated, kept.outcome.position, kept.outcome.refusal], [false, 1, refusal])
    const repeated = { isRepeated: true, ...refusal }
    await assert.rejects(storage.commit(write), repeated)
    await assert.rejects(storage.outcome(tenantId, idempotency), repeated)
    const other = { ...idempotency, digest: 'another call' }
    await rejectsWith('idempotency_key_mismatch', storage.outcome(tenantId, other))
    assert.equal((await colophon.memory(tenantId).snapshot()).position, 1)
    clock.advance(limits.idempotencyHoldMs)
    assert.equal((await storage.commit(write)).versions.length, 1, 'the key is free again')
  })

  test('a retry of a call whose key became a tombstone is refused, whatever its content', async ({
    colophon,
    storage,
    clock,
  }) => {
    const tenantId = 'acme'
    await colophon.memory(tenantId).put('other', { content: 'makes the tenant' })
    const entry = { memoryRef: 'notes', tags: [], expiresAt: null, subject: null, salt: 's', origin: { kind: 'api' } }
    const retry = (entryId: string, digest = 'd', key = 'put:ada') => ({
      tenantId,
      puts: [{ ...entry, entryId, content: 'canary', origin: { kind: 'api' } as const }],
      idempotency: { key, digest, tombstone: `erased:${key.length}` },
    })
    await storage.commit(batchOf(retry('mem_1')))
    await storage.commit(batchOf(retry('mem_2', 'd', 'put:longer')))
    const tombstone = 'erased:7'
    const outcomes = [{ key: 'put:ada', tombstone }]
    await storage.commit(batchOf({ tenantId, kind: 'forget.keys', forgetting: { outcomes } }))
    const rows = await storage.forget.outcomes({ tenantId, after: null, limit: 10 })
    assert.deepEqual(
      rows.map(({ key }) => key),
      [tombstone, 'put:longer'],
    )
    assert.ok(!JSON.stringify(rows[0]).includes('mem_1'), 'nothing of the call is left')
    clock.advance(limits.idempotencyHoldMs)
    for (const digest of ['d', 'another call'])
      await rejectsWith('content_erased', storage.commit(batchOf(retry('mem_3', digest))), 'canary')
    await rejectsWith('content_erased', storage.outcome(tenantId, retry('mem_3').idempotency))
    // A commit under another key deletes expired keys; it does not delete the tombstone.
    await storage.commit(batchOf(retry('mem_4', 'd', 'put:other-key')))
    await rejectsWith('content_erased', storage.commit(batchOf(retry('mem_3'))))
    clock.advance(limits.erasedKeyHoldMs - limits.idempotencyHoldMs)
    assert.equal((await storage.commit(batchOf(retry('mem_5')))).repeated, false, 'and then the key is free again')
  })

  test('the same key for another call is refused', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const { id } = await memory.put('notes', { content: 'original canary' }, { idempotencyKey: 'k' })
    const again = { idempotencyKey: 'k' }
    await rejectsWith('idempotency_key_mismatch', memory.put('notes', { content: 'other canary' }, again), 'canary')
    await rejectsWith('idempotency_key_mismatch', memory.put('other', { content: 'original canary' }, again))
    await rejectsWith(
      'idempotency_key_mismatch',
      memory.put('notes', { content: 'original canary', tags: ['t'] }, again),
    )
    assert.equal((await memory.snapshot()).position, 1)
    assert.equal(await memory.delete('notes', id, again), true, 'a key belongs to one operation')
  })

  // Model rule: commit.exactly-once
  test('fifty equal concurrent calls have one effect', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const calls = Array.from({ length: 50 }, () => memory.put('notes', { content: 'once' }, { idempotencyKey: 'k' }))
    const ids = new Set((await Promise.all(calls)).map((entry) => entry.id))
    assert.equal(ids.size, 1)
    assert.equal((await memory.list('notes')).entries.length, 1)
    const jobs = await Promise.all(
      Array.from({ length: 20 }, () => colophon.jobs('acme').enqueue({ kind: 'k' }, { idempotencyKey: 'j' })),
    )
    assert.equal(new Set(jobs).size, 1)
    assert.equal((await colophon.jobs('acme').list()).length, 1)
  })

  test('a refused call does not use its key', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'x' })
    await rejectsWith('version_conflict', memory.delete('notes', entry.id, { expects: 9, idempotencyKey: 'k' }))
    assert.equal(await memory.delete('notes', entry.id, { expects: 1, idempotencyKey: 'k' }), true)
  })

  test('a key expires after a day', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const first = await memory.put('notes', { content: 'one' }, { idempotencyKey: 'k' })
    clock.advance(limits.idempotencyHoldMs - 1)
    assert.deepEqual(await memory.put('notes', { content: 'one' }, { idempotencyKey: 'k' }), first)
    clock.advance(1)
    const second = await memory.put('notes', { content: 'two' }, { idempotencyKey: 'k' })
    assert.notEqual(second.id, first.id)
    assert.deepEqual(await memory.put('notes', { content: 'two' }, { idempotencyKey: 'k' }), second)
  })

  test('an outcome is found by its key until the key expires', async ({ colophon, storage, clock }) => {
    const named = { key: 'job.enqueue:k', digest: 'd', tombstone: 'erased:k' }
    assert.equal(await storage.outcome('acme', named), null, 'a tenant that does not exist has no keys')
    await colophon.memory('acme').put('notes', { content: 'x' })
    const job = { jobId: 'job_1', kind: 'k', payload: null, priority: 0, dueAt: null, attemptsMax: 3 }
    const { outcome } = await storage.commit(batchOf({ tenantId: 'acme', jobs: [job], idempotency: named }))
    assert.deepEqual([outcome.jobs, await storage.outcome('acme', named)], [['job_1'], outcome])
    await rejectsWith('idempotency_key_mismatch', storage.outcome('acme', { ...named, digest: 'other' }))
    assert.equal(await storage.outcome('acme', { ...named, key: 'job.enqueue:other' }), null)
    assert.equal(await storage.outcome('globex', named), null, 'a key belongs to one tenant')
    clock.advance(limits.idempotencyHoldMs - 1)
    assert.deepEqual(await storage.outcome('acme', named), outcome)
    clock.advance(1)
    assert.equal(await storage.outcome('acme', named), null)
    assert.equal(await storage.outcome('acme', { ...named, digest: 'other' }), null)
  })

  test(
    'a retry for content that was erased since gets content_erased',
    async ({ colophon, execute }) => {
      const memory = colophon.memory('acme')
      await memory.put('notes', { content: 'one' }, { idempotencyKey: 'k' })
      await execute("delete from entry_version where tenant_id = 'acme'")
      await rejectsWith('content_erased', memory.put('notes', { content: 'one' }, { idempotencyKey: 'k' }))
    },
    { sql: true },
  )
}
