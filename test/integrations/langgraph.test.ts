import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { InMemoryStore, type Item } from '@langchain/langgraph-checkpoint'
import { type Client, createClient } from '../../src/client/index.ts'
import { ColophonStore } from '../../src/integrations/langgraph.ts'
import { startServer, type TestServer } from '../support/server.ts'

const keysOf = (items: readonly Item[]) => items.map(({ namespace, key }) => [...namespace, key].join('/')).sort()

describe('the LangGraph store on Colophon', () => {
  let server: TestServer
  let client: Client
  before(async () => {
    server = await startServer()
    client = createClient({ url: server.url, key: server.key })
  })
  after(() => server[Symbol.asyncDispose]())
  let stores = 0
  const newStore = () => new ColophonStore({ client, ref: `langgraph/${stores++}` })

  test('puts, gets, replaces and deletes', async () => {
    const store = newStore()
    await store.put(['users', 'ada'], 'drink', { is: 'tea' })
    const first = await store.get(['users', 'ada'], 'drink')
    await store.put(['users', 'ada'], 'drink', { is: 'coffee' })
    const second = await store.get(['users', 'ada'], 'drink')
    assert.deepEqual(second?.value, { is: 'coffee' })
    assert.deepEqual(second?.createdAt, first?.createdAt)
    assert.ok(second && first && second.updatedAt >= first.updatedAt)
    await store.delete(['users', 'ada'], 'drink')
    assert.equal(await store.get(['users', 'ada'], 'drink'), null)
    assert.deepEqual(await store.search(['users']), [])
    await store.put(['users', 'ada'], 'drink', { is: 'water' })
    assert.deepEqual((await store.get(['users', 'ada'], 'drink'))?.value, { is: 'water' })
  })

  test('keeps similar namespaces separate', async () => {
    const store = newStore()
    for (const name of ['user-1', 'user-10', 'user-1:x', 'user-1%', 'user_1'])
      await store.put(['t', name], 'k', { of: name })
    await store.put(['t:user-1'], 'k', { of: 'joined' })
    assert.deepEqual(keysOf(await store.search(['t', 'user-1'])), ['t/user-1/k'])
    assert.deepEqual(keysOf(await store.search(['t:user-1'])), ['t:user-1/k'])
    assert.equal((await store.search(['t'])).length, 5)
    assert.equal((await store.get(['t', 'user-1'], 'k'))?.value.of, 'user-1')
    const original = new InMemoryStore()
    await original.put(['t', 'user-1'], 'k', { of: 'user-1' })
    await original.put(['t', 'user-10'], 'k', { of: 'user-10' })
    assert.equal((await original.search(['t', 'user-1'])).length, 2, 'the store of the package mixes them')
  })

  test('stores a batch whole or not at all', async () => {
    const store = newStore()
    const tooLarge = 'x'.repeat(2_000_000)
    const batch = store.batch([
      { namespace: ['a'], key: 'one', value: { n: 1 } },
      { namespace: ['b'], key: 'two', value: { text: tooLarge } },
    ])
    await assert.rejects(batch, { code: 'validation_error' })
    assert.equal(await store.get(['a'], 'one'), null)
    const [gone, , found] = await store.batch([
      { namespace: ['a'], key: 'one' },
      { namespace: ['a'], key: 'one', value: { n: 1 } },
      { namespacePrefix: ['a'], limit: 10, offset: 0 },
      { namespace: ['a'], key: 'one', value: { n: 2 } },
      { namespace: ['b'], key: 'two', value: { n: 3 } },
    ])
    assert.equal(gone, null)
    assert.deepEqual(found, [], 'reads see what was there before')
    assert.deepEqual((await store.get(['a'], 'one'))?.value, { n: 2 })
    assert.deepEqual((await store.get(['b'], 'two'))?.value, { n: 3 })
    const { entries } = await client.memory.list(`langgraph/${stores - 1}`)
    assert.equal(entries.length, 2)
  })

  test('has one value and no leftovers after many concurrent writes to one key', async () => {
    const store = newStore()
    await Promise.all(Array.from({ length: 12 }, (_, n) => store.put(['race'], 'k', { n })))
    const found = await store.search(['race'])
    assert.equal(found.length, 1)
    assert.deepEqual(found[0]?.value, (await store.get(['race'], 'k'))?.value)
    await store.put(['race'], 'k', { n: 99 })
    assert.equal((await client.memory.list(`langgraph/${stores - 1}`)).entries.length, 1)
  })

  test('searches by filter and words, in pages, like the store of the package', async () => {
    const [store, original] = [newStore(), new InMemoryStore()]
    for (const [n, city] of ['Turin', 'Lisbon', 'Turin', 'Oslo'].entries()) {
      for (const target of [store, original]) await target.put(['p', `u${n}`], 'home', { city, n })
    }
    const filters = [{ city: 'Turin' }, { n: { $gte: 1, $lt: 3 } }, { n: { $ne: 0 } }, { city: { $in: ['Oslo'] } }]
    for (const filter of filters)
      assert.deepEqual(keysOf(await store.search(['p'], { filter })), keysOf(await original.search(['p'], { filter })))
    assert.deepEqual(keysOf(await store.search(['p'], { query: 'who lives in Oslo' })), ['p/u3/home'])
    const pages = [await store.search(['p'], { limit: 3 }), await store.search(['p'], { limit: 3, offset: 3 })]
    assert.deepEqual(
      pages.map(({ length }) => length),
      [3, 1],
    )
    assert.equal(new Set(keysOf(pages.flat())).size, 4)
  })

  test('lists namespaces like the store of the package', async () => {
    const [store, original] = [newStore(), new InMemoryStore()]
    for (const namespace of [
      ['a', 'x', '1'],
      ['a', 'y', '1'],
      ['b', 'x', '2'],
      ['a', 'x', '1'],
    ])
      for (const target of [store, original]) await target.put(namespace, 'k', {})
    const options = [
      {},
      { prefix: ['a'] },
      { suffix: ['1'] },
      { prefix: ['*', 'x'] },
      { maxDepth: 1 },
      { maxDepth: 2, limit: 2, offset: 1 },
    ]
    for (const option of options)
      assert.deepEqual((await store.listNamespaces(option)).sort(), (await original.listNamespaces(option)).sort())
  })

  test('finds more than one page of items', async () => {
    const store = newStore()
    const puts = Array.from({ length: 450 }, (_, n) => ({ namespace: ['many'], key: `k${n}`, value: { n } }))
    await client.memory.putMany(
      `langgraph/${stores - 1}`,
      puts.map(({ key, value }) => ({
        content: JSON.stringify(value),
        tags: [`item:${JSON.stringify(['many', key])}`, 'under:["many"]'],
      })),
    )
    assert.equal((await store.search(['many'], { limit: 1_000 })).length, 450)
  })

  test('redacts secrets in values, and shows the origin of each', async () => {
    const store = newStore()
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    await store.put(['s'], 'k', { note: `the token is ${secret}`, kept: 'yes' })
    const item = await store.get(['s'], 'k')
    assert.ok(!JSON.stringify(item).includes(secret))
    assert.equal(item?.value.kept, 'yes')
    const [entry] = (await client.memory.list(`langgraph/${stores - 1}`)).entries
    const { origin } = await client.memory.colophon(`langgraph/${stores - 1}`, entry?.id ?? '')
    assert.deepEqual([origin.kind, origin.service], ['service', 'langgraph'])
  })

  test('names the writer, the thread and the item, also after a change', async () => {
    const ref = `langgraph/${stores++}`
    const store = new ColophonStore({ client, ref, service: 'planner', event: { conversation: 'thread-1' } })
    await store.put(['users', 'ada'], 'drink', { is: 'tea' })
    await store.put(['users', 'ada'], 'drink', { is: 'coffee' })
    const [entry] = (await client.memory.list(ref)).entries
    const { story } = await client.memory.colophon(ref, entry?.id ?? '')
    const told = story.find(({ step }) => step === 'told')?.details.provenance as Record<string, unknown>
    const items = [{ namespace: ['users', 'ada'], key: 'drink' }]
    assert.deepEqual([told.service, told.scope], ['planner', { session_id: 'thread-1', items }])
  })

  test('refuses a key or a namespace that contains a secret, and stores nothing under another name', async () => {
    const store = newStore()
    const secrets = ['a', 'b'].map((letter) => `ghp_${letter.repeat(36)}`)
    for (const secret of secrets) {
      await assert.rejects(store.put(['s'], secret, { n: 1 }), { code: 'secret_leakage', message: /^tags / })
      await assert.rejects(store.put([secret], 'k', { n: 1 }), { code: 'secret_leakage' })
      assert.equal(await store.get(['s'], secret), null)
    }
    assert.deepEqual(await store.search([]), [])
  })
})
