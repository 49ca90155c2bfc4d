import assert from 'node:assert/strict'
import type { VersionKey } from '../../../src/core/commit/batch.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'

/** The keys of all stored versions of the tenant. */
async function stored({ storage }: World): Promise<VersionKey[]> {
  const versions = await storage.scanVersions({ tenantId, after: null, limit: 100 })
  return versions.map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version }))
}

function erase({ storage }: World, erasures: readonly VersionKey[], more: object = {}) {
  return storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures, ...more }))
}

/** Erased versions are absent at every position and from every list, and the audit chain still verifies. */
export function erasuresContract(test: ContractTest): void {
  test('an erased entry is absent at every position, in lists by tag too, and other entries are unchanged', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const gone = await memory.put('notes', { content: 'first', tags: ['kept', 'own'], subject: 'ada' })
    await memory.put('notes', { content: 'other', tags: ['kept'] })
    await memory.revise('notes', gone.id, { content: 'second', tags: ['own'] })
    const committed = await erase(
      world,
      (await stored(world)).filter(({ entryId }) => entryId === gone.id),
    )
    assert.equal(committed.erased, 2)
    assert.equal(committed.outcome.position, 4)
    for (const asOf of [undefined, 1, 2, 3, 4]) {
      assert.equal(await memory.get('notes', gone.id, { asOf }), null)
      for (const tag of [undefined, 'own', 'kept']) {
        const { entries } = await memory.list('notes', { tag, asOf })
        assert.ok(entries.every(({ content }) => content === 'other'))
      }
    }
    assert.equal((await memory.list('notes', { tag: 'kept' })).entries.length, 1)
    assert.equal((await stored(world)).length, 1)
    assert.deepEqual(await world.storage.provenance.entryVersions(tenantId, gone.id), [])
    await assertIntact(memory, 4)
  })

  test('one version of several can be erased; the entry stays as it is now', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const entry = await memory.put('notes', { content: 'old', tags: ['a'] })
    await memory.revise('notes', entry.id, { content: 'new', tags: ['a'] })
    await erase(world, [{ memoryRef: 'notes', entryId: entry.id, version: 1 }])
    assert.equal((await memory.get('notes', entry.id))?.content, 'new')
    assert.equal(await memory.get('notes', entry.id, { asOf: 1 }), null)
    assert.deepEqual((await memory.list('notes', { tag: 'a', asOf: 1 })).entries, [])
    assert.equal((await memory.revise('notes', entry.id, { content: 'newer' }))?.content, 'newer')
    await assertIntact(memory)
  })

  test('erasing a missing version, or one of another tenant, does nothing and takes no position', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const entry = await memory.put('notes', { content: 'stays' })
    await world.colophon.memory('other').put('notes', { content: 'of another' })
    const [foreign] = await world.storage.scanVersions({ tenantId: 'other', after: null, limit: 1 })
    const misses = [
      { memoryRef: 'notes', entryId: entry.id, version: 2 },
      { memoryRef: 'elsewhere', entryId: entry.id, version: 1 },
      { memoryRef: 'notes', entryId: foreign?.entryId ?? '', version: 1 },
    ]
    const { erased, outcome } = await erase(world, misses)
    assert.deepEqual([erased, outcome.position], [0, 1])
    assert.equal((await memory.get('notes', entry.id))?.content, 'stays')
    assert.equal((await world.colophon.memory('other').list('notes')).entries.length, 1)
  })

  test('erasing and changing the same entry concurrently leave either nothing or the later change', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const entry = await memory.put('notes', { content: 'x', tags: ['t'] })
    const key = { memoryRef: 'notes', entryId: entry.id, version: 1 }
    const [, , late] = await Promise.allSettled([
      erase(world, [key]),
      erase(world, [key]),
      memory.revise('notes', entry.id, { content: 'y' }),
      memory.delete('notes', entry.id),
    ])
    assert.equal(late.status === 'fulfilled' && late.value !== null, false)
    assert.deepEqual(await stored(world), [])
    assert.deepEqual((await memory.list('notes', { tag: 't', asOf: 1 })).entries, [])
    await assertIntact(memory)
  })

  test('erasing is one commit with the rest of its batch', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const entry = await memory.put('notes', { content: 'x' })
    const expects = [{ memoryRef: 'notes', entryId: entry.id, version: 7 }]
    await assert.rejects(erase(world, await stored(world), { expects }))
    assert.equal((await stored(world)).length, 1)
  })
}
