import assert from 'node:assert/strict'
import type { AdminChange } from '../../../src/core/admin.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import type { ContractTest } from './world.ts'

const key = (id: string, note: string, expects: number | null = null): AdminChange => ({
  kind: 'key',
  id,
  body: { text: { note }, sealed: { hash: 'h' } },
  expects,
})

/** Keys, secrets, rules and settings: small documents with revisions, in the same chain as memory. */
export function adminContract(test: ContractTest): void {
  test('records are created, changed and removed by revision, each with a position', async ({
    colophon,
    storage,
    clock,
  }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'first' })
    const commit = (...admin: AdminChange[]) => storage.commit(batchOf({ tenantId: 'acme', kind: 'admin.test', admin }))
    await commit(key('a', 'one', 0), key('b', 'two', 0))
    await commit(key('a', 'three', 1))
    await rejectsWith('version_conflict', commit(key('a', 'lost', 1)))
    await rejectsWith('version_conflict', commit(key('b', 'lost', 0)))
    const record = await storage.record('acme', 'key', 'a')
    assert.deepEqual(record, {
      kind: 'key',
      id: 'a',
      revision: 2,
      body: { text: { note: 'three' }, sealed: { hash: 'h' } },
      updatedAt: clock.now,
    })
    const all = await storage.records({ tenantId: 'acme', kind: 'key', after: null, limit: 10 })
    assert.deepEqual(
      all.map(({ id, revision }) => [id, revision]),
      [
        ['a', 2],
        ['b', 1],
      ],
    )
    assert.deepEqual(
      (await storage.records({ tenantId: 'acme', kind: 'key', after: 'a', limit: 10 })).map(({ id }) => id),
      ['b'],
    )
    await commit({ kind: 'key', id: 'a', body: null, expects: 2 })
    assert.equal(await storage.record('acme', 'key', 'a'), null)
    assert.equal(await storage.record('acme', 'secret', 'b'), null)
    assert.equal(await storage.record('other', 'key', 'b'), null)
    assert.equal((await memory.snapshot()).position, 4)
    await assertIntact(memory, 4)
  })

  test('removing a missing record takes no position, and concurrent changes of one record have an order', async ({
    colophon,
    storage,
  }) => {
    await colophon.memory('acme').put('notes', { content: 'x' })
    const commit = (change: AdminChange) =>
      storage.commit(batchOf({ tenantId: 'acme', kind: 'admin.test', admin: [change] }))
    await commit({ kind: 'rule', id: 'none', body: null, expects: null })
    assert.equal((await storage.clock('acme'))?.position, 1)
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => commit(key('a', String(i), 0))))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    await Promise.all(Array.from({ length: 10 }, (_, i) => commit(key('a', String(i)))))
    assert.equal((await storage.record('acme', 'key', 'a'))?.revision, 11)
  })

  test('a change of secrets or rules makes older redactions stale', async ({ colophon, storage }) => {
    await colophon.memory('acme').put('notes', { content: 'x' })
    await storage.commit(
      batchOf({ tenantId: 'acme', kind: 'admin.test', admin: [key('a', 'x')], changesRedaction: true }),
    )
    assert.equal((await storage.clock('acme'))?.redactionVersion, 2)
    await rejectsWith('redaction_stale', storage.commit(batchOf({ tenantId: 'acme', admin: [key('b', 'x')] })))
    await storage.commit(batchOf({ tenantId: 'acme', admin: [key('b', 'x')], redactionVersion: 2 }))
    await colophon.memory('acme').put('notes', { content: 'redacted again by itself' })
  })

  test('refs are listed with their live entries', async ({ colophon, storage, clock }) => {
    const memory = colophon.memory('acme')
    const gone = await memory.put('b', { content: '1' })
    await memory.putMany('a/x', [{ content: '2' }, { content: '3', expiresAt: new Date(clock.now + 500) }])
    await memory.put('ä', { content: '4' })
    await memory.delete('b', gone.id)
    clock.advance(1_000)
    await colophon.memory('other').put('z', { content: '5' })
    const query = { tenantId: 'acme', after: null, now: clock.now, limit: 10 }
    const refs = await storage.refs(query)
    assert.deepEqual(
      refs.map(({ memoryRef, entries }) => [memoryRef, entries]),
      [
        ['a/x', 1],
        ['ä', 1],
      ],
    )
    assert.equal(refs[0]?.lastWriteAt, clock.now - 1_000)
    assert.deepEqual(
      (await storage.refs({ ...query, after: 'a/x' })).map(({ memoryRef }) => memoryRef),
      ['ä'],
    )
    assert.equal((await storage.refs({ ...query, limit: 1 })).length, 1)
  })

  test('tenants are listed, disabled and enabled; uses of keys are noted', async ({ colophon, storage, clock }) => {
    for (const tenant of ['b', 'a', 'c']) await colophon.memory(tenant).put('n', { content: 'x' })
    const list = await storage.tenants({ after: null, limit: 2 })
    assert.deepEqual(
      list,
      ['a', 'b'].map((tenantId) => ({ tenantId, status: 'active', createdAt: clock.now })),
    )
    await storage.commit(batchOf({ tenantId: 'b', kind: 'admin.test', tenantStatus: 'disabled' }))
    assert.equal((await storage.tenant('b'))?.status, 'disabled')
    assert.equal(await storage.tenant('unknown'), null)
    await storage.noteKeyUse('a', 'key_1', 100)
    await storage.noteKeyUse('a', 'key_1', 200)
    await storage.noteKeyUse('a', 'key_2', 300)
    assert.deepEqual(await storage.keyUses('a', ['key_1', 'key_0']), new Map([['key_1', 200]]))
    assert.deepEqual(await storage.keyUses('a', []), new Map())
    assert.deepEqual(await storage.keyUses('b', ['key_1']), new Map())
  })

  test('a key and a session are found while their tenant is active, and by their own tenant', async ({
    colophon,
    storage,
    clock,
  }) => {
    await colophon.memory('acme').put('notes', { content: 'first' })
    const session = { ...key('s', 'three', 0), kind: 'session' as const }
    const admin = [key('a', 'one', 0), { ...key('b', 'two', 0), kind: 'settings' as const }, session]
    await storage.commit(batchOf({ tenantId: 'acme', kind: 'admin.test', admin }))
    const found = await storage.activeCredential('acme', 'key', 'a')
    assert.deepEqual(found, { ...(await storage.record('acme', 'key', 'a')), lastCreatedAt: clock.now })
    assert.equal(found?.body.text.note, 'one')
    for (const [tenant, id] of [
      ['acme', 'b'],
      ['acme', 'c'],
      ['acme', 's'],
      ['other', 'a'],
    ] as const)
      assert.equal(await storage.activeCredential(tenant, 'key', id), null)
    assert.equal((await storage.activeCredential('acme', 'session', 's'))?.body.text.note, 'three')
    assert.equal(await storage.activeCredential('acme', 'session', 'a'), null)
    await storage.commit(batchOf({ tenantId: 'acme', kind: 'admin.test', tenantStatus: 'disabled' }))
    assert.equal(await storage.activeCredential('acme', 'key', 'a'), null)
    assert.equal(await storage.activeCredential('acme', 'session', 's'), null)
    await storage.commit(batchOf({ tenantId: 'acme', kind: 'admin.test', tenantStatus: 'active' }))
    assert.deepEqual(await storage.activeCredential('acme', 'key', 'a'), found)
  })

  test('a credential and a tenant are read with the last recorded instant, whatever the clock says now', async ({
    colophon,
    storage,
    clock,
  }) => {
    await storage.ensureTenant('empty', { macKey: new Uint8Array(32) }, clock.now)
    assert.equal((await storage.tenant('empty'))?.lastCreatedAt, 0)
    await colophon.memory('acme').put('notes', { content: 'first' })
    await storage.commit(batchOf({ tenantId: 'acme', kind: 'admin.test', admin: [key('a', 'one', 0)] }))
    const last = clock.now
    clock.advance(-60_000)
    assert.equal((await storage.activeCredential('acme', 'key', 'a'))?.lastCreatedAt, last)
    assert.equal((await storage.tenant('acme'))?.lastCreatedAt, last)
    await colophon.memory('acme').put('notes', { content: 'second' })
    assert.equal((await storage.tenant('acme'))?.lastCreatedAt, last, 'it never goes back')
  })

  test('isWritable is true for an open store and changes nothing', async ({ colophon, storage }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'first' })
    assert.equal(await storage.isWritable(), true)
    assert.equal((await memory.snapshot()).position, 1)
  })
}
