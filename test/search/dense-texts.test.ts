import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Send, SqlStatement } from '../../src/adapters/postgres/connection.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { takeFromLists } from '../../src/adapters/postgres/search-lists.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon } from '../../src/open.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { find, memoryRef, tenantId, texts } from '../contract/suite/search-calls.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

/** Almost nothing but words that occur once: as many lists as a text of this length can touch. */
const dense = (nth: number) => Array.from({ length: 8_000 }, (_, word) => `q${nth}${word.toString(36)}`).join(' ')

test('texts of very many words are indexed and erased in steps within the statement timeout', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now: Date.now })
  const batches = () => run(database.url, 'select distinct nth from search_block order by nth')
  try {
    const memory = composeColophon(storage, nodeSystem(), 'test').memory(tenantId)
    await memory.putMany(memoryRef, [
      ...Array.from({ length: 8 }, (_, nth) => ({ content: dense(nth) })),
      { content: 'short' },
    ])
    assert.equal(await storage.search.index(tenantId, memoryRef, 256), 9)
    assert.deepEqual(await batches(), [{ nth: '6' }, { nth: '9' }])
    assert.deepEqual(texts(await find(storage, 'short')), ['short'])
    assert.deepEqual(texts(await find(storage, 'q75')), [dense(7)])
    const versions = await storage.scanVersions({ tenantId, after: null, limit: 10 })
    const erasures = versions.map(({ entryId, version }) => ({ memoryRef, entryId, version }))
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
    assert.deepEqual(await run(database.url, 'select key from search_list'), [])
  } finally {
    await storage.close()
    await database.drop()
  }
})

test('rows are removed from their lists in small groups, and each once', async () => {
  const taken: number[][] = []
  const emptied: number[][] = []
  const send = async ({ name }: SqlStatement, values: readonly unknown[]) =>
    void (name.includes('emptied') ? emptied : taken).push(values[2] as number[])
  const rows = Array.from({ length: 25 }, (_, nth) => ({ memoryRef, nth, keys: ['xword'] }))
  await Promise.all(takeFromLists(send as unknown as Send, tenantId, rows))
  assert.deepEqual(
    taken.flat(),
    rows.map(({ nth }) => nth),
  )
  assert.deepEqual(
    taken.map(({ length }) => length),
    [10, 10, 5],
  )
  assert.deepEqual(emptied, taken, 'lists without rows are deleted in the same groups')
})
