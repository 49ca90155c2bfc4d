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
    // As a commit that erases does: first the versions, then the progress of their refs.
    await eraser.query("begin; set local lock_timeout = '2s'; set local deadlock_timeout = '1s'")
    await eraser.query(`select 1 from entry_version where content = 'heron' for update`)
    assert.equal(await storage.search.index(tenantId, memoryRef, 1), 1)
    assert.deepEqual(await keys(database.url), ['xheron'])
    await eraser.query('select 1 from search_progress for update')
    const indexing = storage.search.index(tenantId, memoryRef, 10)
    await eventually('it waits for the eraser', async () => (await waitingForLocks(database.url)) === 1)
    await eraser.query('delete from search_block')
    await eraser.query(`delete from entry_version where content = 'heron'`)
    await eraser.query('commit')
    assert.equal(await indexing, 1)
    assert.deepEqual(await keys(database.url), ['xplover'])
  } finally {
    await eraser.end()
    await storage.close()
    await database.drop()
  }
})

async function keys(url: string): Promise<unknown[]> {
  const words = `select key from search_block, unnest(keys) as key where key like 'x%' order by key`
  return (await run(url, words)).map(({ key }) => key)
}

async function waitingForLocks(url: string): Promise<number> {
  const [counted] = await run(
    url,
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return counted?.n as number
}
