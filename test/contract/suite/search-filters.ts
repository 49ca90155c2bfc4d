import assert from 'node:assert/strict'
import type { NewEntry } from '../../../src/core/commit/batch.ts'
import { statedBy } from '../../../src/core/filter/filter.ts'
import { type Category, defaultClassification } from '../../../src/core/provenance/category.ts'
import type { FindQuery } from '../../../src/ports/search-store.ts'
import { batchOf } from './batch.ts'
import { figures, find, memoryRef, putAll, tenantId, texts, whileIndexing } from './search-calls.ts'
import type { ContractTest } from './world.ts'

/** Search filters: the filter is part of the lookup, so rows that do not match never hide rows that do. */
export function searchFiltersContract(test: ContractTest): void {
  test('filters by the members of an entry', async (world) => {
    const memory = world.colophon.memory(tenantId)
    await memory.put(memoryRef, { content: 'tea of Ada', tags: ['drink'], subject: 'ada' })
    world.clock.advance(60_000)
    await memory.put(memoryRef, { content: 'tea of Bob', subject: 'bob' })
    const from = Date.parse('2026-01-01T00:00:30Z')
    await whileIndexing(world.storage, async () => {
      const narrowed = async (filter: FindQuery['filter']) => texts(await find(world.storage, 'tea', { filter }))
      assert.deepEqual(await narrowed({ tag: 'drink' }), ['tea of Ada'])
      assert.deepEqual(await narrowed({ subject: 'bob' }), ['tea of Bob'])
      assert.deepEqual(await narrowed({ from }), ['tea of Bob'])
      assert.deepEqual(await narrowed({ to: from }), ['tea of Ada'])
      assert.deepEqual(await narrowed({ categories: ['goal'] }), [])
      assert.deepEqual(await narrowed({ where: statedBy(['crm']) }), [])
    })
  })

  test('finds a row that matches a filter behind any number of rows that do not', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const start = world.clock.now
    const minute = 60_000
    await memory.put(memoryRef, { content: 'the first tea', tags: ['rare'], subject: 'ada' })
    world.clock.advance(60 * minute)
    for (let nth = 0; nth < 6; nth++) await memory.put(memoryRef, { content: `tea ${nth}`, tags: ['often'] })
    await memory.put(memoryRef, { content: 'tea first, and the cup later', tags: ['often'] })
    const few = { postingsMax: 3, examinedMax: 2, foundMax: 2 }
    await whileIndexing(world.storage, async () => {
      const narrowed = async (filter: FindQuery['filter'], text = 'tea') =>
        find(world.storage, text, { ...few, filter })
      for (const filter of [{ tag: 'rare' }, { subject: 'ada' }, { to: start + minute }, { tag: 'rare', from: start }])
        assert.deepEqual(texts(await narrowed(filter)), ['the first tea'])
      assert.deepEqual(texts(await narrowed({ from: start + minute })), ['tea first, and the cup later', 'tea 5'])
      assert.deepEqual(texts(await narrowed({}, '"first tea"')), ['the first tea'])
      assert.deepEqual(texts(await narrowed({ tag: 'often' }, '"first tea"')), [])
      for (const filter of [{ tag: 'Rare' }, { categories: [] }, { tag: 'rare', subject: 'bob' }, { to: start }])
        assert.deepEqual(texts(await narrowed(filter)), [])
      // How common a word is does not depend on the filter: scores stay the same.
      assert.deepEqual(figures(await narrowed({ tag: 'rare' })), figures(await narrowed({})))
    })
  })

  test('filters by service, agent and category', async (world) => {
    const fromService = (nth: number, service: string, agentId: string, category: Category): NewEntry => ({
      memoryRef,
      entryId: `mem_${nth}`,
      content: `tea ${nth}`,
      tags: [],
      salt: `salt-${nth}`,
      expiresAt: null,
      subject: null,
      origin: { kind: 'service', service, agentId },
      classification: { ...defaultClassification, category },
    })
    await putAll(world, ['water'])
    const puts = [fromService(0, 'crm', 'scribe', 'goal')]
    for (let nth = 1; nth < 6; nth++) puts.push(fromService(nth, 'mail', 'reader', 'preference'))
    await world.storage.commit(batchOf({ tenantId, puts }))
    const few = { postingsMax: 3, examinedMax: 2 }
    await whileIndexing(world.storage, async () => {
      for (const filter of [{ where: statedBy(['crm']) }, { agentId: 'scribe' }, { categories: ['goal', 'expertise'] }])
        assert.deepEqual(texts(await find(world.storage, 'tea', { ...few, filter })), ['tea 0'])
      assert.deepEqual(
        texts(await find(world.storage, 'tea', { ...few, filter: { where: statedBy(['crm']), agentId: 'reader' } })),
        [],
      )
    })
  })

  test('a removed tag finds nothing', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const { id } = await memory.put(memoryRef, { content: 'tea', tags: ['heron'] })
    await world.storage.search.index(tenantId, memoryRef, 100)
    const [version] = await world.storage.provenance.newestVersions(tenantId, [id])
    assert.ok(version)
    const { entryId, salt, content, version: number } = version
    const rewrite = { memoryRef, entryId, version: number, content, tags: ['plover'], readSalt: salt, salt: `${salt}x` }
    await world.storage.commit(batchOf({ tenantId, kind: 'memory.redacted', rewrites: [rewrite] }))
    const tagged = async (tag: string) => texts(await find(world.storage, 'tea', { filter: { tag } }))
    assert.deepEqual(await tagged('heron'), [])
    assert.deepEqual(await tagged('plover'), ['tea'])
  })
}
