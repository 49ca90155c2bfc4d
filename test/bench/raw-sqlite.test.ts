import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { createDrafts, memoryRef } from '../../bench/entries.ts'
import { openRawSqlite } from '../../bench/raw-sqlite.ts'
import { fillStore, tenantId } from '../../bench/sqlite-store.ts'
import { openColophon } from '../../src/index.ts'
import { createFolder } from '../support/temporary-folder.ts'

test('the hand-written side of the benchmark of writes stores entries and index rows as the engine does', async () => {
  const path = createFolder().file('raw.db')
  await fillStore(path, 10)
  const raw = openRawSqlite(path, tenantId, { audit: true })
  const drafts = createDrafts(1)
  raw.putMany(raw.entriesOf([...drafts(299), { content: 'The lighthouse is closed.', tags: ['coast'] }]))
  raw.putEach(raw.entriesOf(drafts(10)))
  raw.close()

  const db = new Database(path, { readonly: true })
  const scope = db.prepare('select newest, indexed, row_count from search_scope').get()
  db.close()
  assert.deepEqual(scope, { newest: 320, indexed: 310, row_count: 310 })

  await using colophon = await openColophon({ path })
  const memory = colophon.memory(tenantId)
  assert.equal((await memory.verify({ contents: true })).ok, true)
  // Rows up to the last indexed one are found by the index alone.
  for (const query of [{}, { tag: 'coast' }, { from: new Date(Date.now() - 3_600_000).toISOString() }]) {
    const { results } = await memory.search(memoryRef, 'lighthouse', query)
    assert.equal(results[0]?.entry.content, 'The lighthouse is closed.', JSON.stringify(query))
  }
})
