import assert from 'node:assert/strict'
import { isColophonError } from '../../../src/core/errors.ts'
import { limits } from '../../../src/core/limits.ts'
import { rejectsWith } from './assert-code.ts'
import { assertIntact } from './intact.ts'
import type { ContractTest } from './world.ts'

/** The tenant's logical clock under concurrency, skew and refusals. */
export function positionsContract(test: ContractTest): void {
  test('every change takes one position, a call that changes nothing takes none', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const position = async () => (await memory.snapshot()).position
    assert.equal(await position(), 0)
    const entry = await memory.put('a', { content: '1' })
    await memory.putMany('b', [{ content: '2' }, { content: '3' }])
    assert.equal(await position(), 2)
    await memory.delete('a', 'mem_unknown')
    await rejectsWith('validation_error', memory.put('a', { content: 'x', tags: ['source:api'] }))
    await rejectsWith('version_conflict', memory.delete('a', entry.id, { expects: 5 }))
    await colophon.jobs('acme').enqueue({ kind: 'k' })
    assert.equal(await position(), 2)
    await memory.revise('a', entry.id, { content: '1b' })
    await memory.delete('a', entry.id)
    assert.equal(await position(), 4)
    assert.equal((await memory.verify()).checked, 4)
  })

  // Model rule: commit.one-per-position
  // Model rule: commit.no-gaps
  test('with 32 concurrent writers every acknowledged write is stored and positions are dense', async ({
    colophon,
  }) => {
    const memory = colophon.memory('acme')
    const acknowledged = await Promise.all(
      Array.from({ length: 32 }, async (_, writer) => {
        const ids: string[] = []
        for (let i = 0; i < 10; i++) ids.push((await memory.put('notes', { content: `${writer}/${i}` })).id)
        return ids
      }),
    )
    const stored = (await memory.list('notes', { limit: 500 })).entries.map((entry) => entry.id)
    assert.deepEqual(new Set(stored), new Set(acknowledged.flat()))
    assert.equal(stored.length, 320)
    assert.equal((await memory.snapshot()).position, 320)
    await assertIntact(memory, 320)
  })

  test('in a group of writes only the invalid ones fail', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const target = await memory.put('notes', { content: 'target' })
    const soon = new Date(clock.now + 1_000).toISOString()
    const past = new Date(clock.now - 1_000).toISOString()
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0
          ? memory.put('notes', { content: `bad ${i}`, expiresAt: past })
          : i % 3 === 1
            ? memory.put('notes', { content: `good ${i}`, expiresAt: soon })
            : memory.revise('notes', target.id, { content: `revision ${i}` }, { expects: 1 }),
      ),
    )
    const ok = results.filter((result) => result.status === 'fulfilled').length
    assert.equal(ok, 21)
    assert.equal((await memory.snapshot()).position, 22)
    assert.equal((await memory.list('notes')).entries.length, 21)
    await assertIntact(memory)
  })

  test('concurrent deletes and revisions of one entry have one order', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'v1', tags: ['t'] })
    const revisions = Array.from({ length: 10 }, (_, i) =>
      memory.revise('notes', entry.id, { content: `v${i + 2}`, tags: ['t'] }),
    )
    const deletes = Array.from({ length: 5 }, () => memory.delete('notes', entry.id))
    const late = memory.revise('notes', entry.id, { content: 'too late' })
    await rejectsWith('version_conflict', late)
    assert.equal((await Promise.all(deletes)).filter(Boolean).length, 1)
    assert.equal((await Promise.all(revisions)).length, 10)
    assert.deepEqual((await memory.list('notes', { tag: 't' })).entries, [])
    for (let asOf = 1; asOf <= 11; asOf++) {
      assert.deepEqual(
        (await memory.list('notes', { asOf, tag: 't' })).entries.map((seen) => seen.content),
        [`v${asOf}`],
      )
    }
    await assertIntact(memory)
  })

  test('the order is kept when the clock jumps back and when instants are equal', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const start = clock.now
    for (let i = 0; i < 60; i++) {
      clock.now = start + (i % 7 === 0 ? -3_600_000 * i : i % 2)
      await memory.put('notes', { content: String(i) })
    }
    const { entries } = await memory.list('notes')
    assert.deepEqual(
      entries.map((entry) => Number(entry.content)),
      Array.from({ length: 60 }, (_, i) => 59 - i),
    )
    const instants = entries.map((entry) => entry.createdAt)
    assert.deepEqual(instants, instants.toSorted().reverse())
    clock.now = start + 10
    assert.equal((await memory.list('notes', { asOf: new Date(start + 1), limit: 500 })).entries.length, 60)
  })

  test('each tenant has its own clock', async ({ colophon, storage }) => {
    await Promise.all(
      ['a', 'b', 'c'].map((tenant, i) =>
        Promise.all(Array.from({ length: i + 1 }, () => colophon.memory(tenant).put('n', { content: tenant }))),
      ),
    )
    assert.deepEqual(
      await storage.clocks(['a', 'b', 'c', 'unknown']),
      new Map([
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ]),
    )
    assert.deepEqual(
      await colophon
        .memory('unknown')
        .snapshot()
        .then((taken) => taken.position),
      0,
    )
  })

  test('writes beyond the queue limit are refused as overloaded, and every acknowledged write is stored', async ({
    colophon,
  }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'first' })
    const results = await Promise.allSettled(
      Array.from({ length: limits.commitQueueBatchesMax + 50 }, () => memory.put('notes', { content: 'x' })),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    for (const { reason } of refused) {
      assert.ok(isColophonError(reason, 'overloaded') && reason.retryable)
      assert.equal(reason.details.limit, 'commitQueueBatchesMax')
    }
    assert.equal((await memory.snapshot()).position, 1 + results.length - refused.length)
  })
}
