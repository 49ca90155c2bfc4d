import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon } from '../../src/open.ts'
import { eventually } from '../support/child.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

const [tenantId, memoryRef] = ['acme', 'notes']

test('indexing and erasing do not wait for each other', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now: Date.now })
  const eraser = new pg.Client({ connectionString: database.url })
  await eraser.connect()
  try {
    const memory = composeColophon(storage, nodeSystem(), 'test').memory(tenantId)
    await memory.putMany(memoryRef, [{ content: 'heron' }, { content: 'plover' }])
    // As a commit that erases does: first the versions, then their rows in the index queue.
    await eraser.query("begin; set local lock_timeout = '2s'; set local deadlock_timeout = '1s'")
    await eraser.query(`select 1 from entry_version where content = 'heron' for update`)
    const indexing = storage.search.index(tenantId, memoryRef, 10)
    await eventually('it waits for the version', async () => (await waitingForLocks(database.url)) === 1)
    await eraser.query(
      `delete from search_waiting w using entry_version v where v.entry_id = w.entry_id and content = 'heron'`,
    )
    await eraser.query(`delete from entry_version where content = 'heron'`)
    await eraser.query('commit')
    assert.equal(await indexing, 1)
    assert.deepEqual(await run(database.url, 'select terms from search_row'), [{ terms: 'plover' }])
  } finally {
    await eraser.end()
    await storage.close()
    await database.drop()
  }
})

async function waitingForLocks(url: string): Promise<number> {
  const [counted] = await run(
    url,
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return counted?.n as number
}
