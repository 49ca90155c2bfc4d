import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon } from '../../src/open.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { find, memoryRef, tenantId, texts } from '../contract/suite/search-calls.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

const count = 40

/** As an earlier program would have left it: rows by the keys of other rules. */
const otherRules = `
  update search_list set key = 'xold' || key;
  update search_block set keys = array(select 'xold' || key from unnest(keys) as key), first_key = 'xold' || first_key, last_key = 'xold' || last_key;
  update search_progress set rules = rules - 1`

test('an index of other rules is built again from the entries, and erasing leaves no key of it', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now: Date.now })
  const indexed = async () => (await storage.search.unindexed({ after: null, rowsMax: 100, limit: 1 }))[0]?.rows ?? 0
  const keys = () =>
    run(
      database.url,
      `select key from search_list where key like '%old%'
        union all
       select key from search_block, unnest(keys) as key where key like '%old%'`,
    )
  try {
    const memory = composeColophon(storage, nodeSystem(), 'test').memory(tenantId)
    const drafts = Array.from({ length: count }, (_, nth) => ({ content: `tea n${nth}` }))
    const { entries } = await memory.putMany(memoryRef, drafts)
    const indexAll = async () => {
      while ((await storage.search.index(tenantId, memoryRef, 10)) > 0);
    }
    await indexAll()
    assert.equal(await indexed(), 0)
    const before = texts(await find(storage, 'tea n7'))
    assert.equal(before[0], 'tea n7')

    await run(database.url, otherRules)
    assert.equal(await indexed(), count)
    assert.deepEqual(texts(await find(storage, 'tea n7')), before, 'before it is built again')
    await indexAll()
    assert.equal(await indexed(), 0)
    assert.deepEqual(await keys(), [])
    assert.deepEqual(texts(await find(storage, 'tea n7')), before)

    // The keys of an erased row were made by other rules and cannot be made again, so the erasure removes every key.
    await run(database.url, otherRules)
    const erasures = [{ memoryRef, entryId: entries[7]?.id ?? '', version: 1 }]
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
    assert.deepEqual(await keys(), [])
    assert.equal(await indexed(), count - 1)
    assert.ok(!texts(await find(storage, 'tea n7')).includes('tea n7'))

    // A newer program has indexed it: this one reads what is there and leaves it as it is.
    await indexAll()
    await run(database.url, 'update search_progress set rules = rules + 1')
    await memory.put(memoryRef, { content: 'tea at last' })
    assert.equal(await storage.search.index(tenantId, memoryRef, 10), 0)
    assert.equal(texts(await find(storage, 'tea last'))[0], 'tea at last')
  } finally {
    await storage.close()
    await database.drop()
  }
})

test('two processes index a ref at the same time, and each row is in the index once', async () => {
  const database = await createDatabase()
  const storages = await Promise.all([1, 2].map(() => openPostgres({ url: database.url, now: Date.now })))
  try {
    const [storage] = storages as [(typeof storages)[0]]
    const memory = composeColophon(storage, nodeSystem(), 'test').memory(tenantId)
    await memory.putMany(
      memoryRef,
      Array.from({ length: 200 }, (_, nth) => ({ content: `tea n${nth}` })),
    )
    const done = await Promise.all(
      storages.flatMap(({ search }) => [1, 2, 3].map(() => search.index(tenantId, memoryRef, 30))),
    )
    assert.ok(done.reduce((sum, rows) => sum + rows) <= 200)
    while ((await storage.search.index(tenantId, memoryRef, 30)) > 0);
    const rows = await run(
      database.url,
      `select sum(row_count)::int as n from (
         select k.row_count from search_block, unnest(keys, row_counts) as k (key, row_count) where key = 'xtea'
          union all
         select row_count from search_list where key = 'xtea') as tea`,
    )
    assert.deepEqual(rows, [{ n: 200 }])
    assert.deepEqual(await run(database.url, 'select indexed, row_count from search_progress'), [
      { indexed: '200', row_count: '200' },
    ])
  } finally {
    for (const storage of storages) await storage.close()
    await database.drop()
  }
})
