import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../src/adapters/postgres/connection.ts'
import { migratePostgres } from '../../src/adapters/postgres/migrate.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

test('a migration can take longer than the call timeout, and another process waits for it', async () => {
  const database = await createEmptyDatabase()
  const url = new URL(database.url)
  for (const limit of ['statement_timeout', 'lock_timeout']) url.searchParams.set(limit, '100')
  const [one, other] = [openPool(url.href, 1), openPool(url.href, 1)]
  const steps = [
    { number: 1, name: 'slow', checksum: 'sum', sql: 'create table made (); select pg_sleep(0.5)' },
    { number: 2, name: 'next', checksum: 'sum', sql: 'create table made_next ()' },
  ]
  try {
    await Promise.all([migratePostgres(one, 0, steps), migratePostgres(other, 0, steps)])
    const applied = await run(database.url, 'select name from schema_migration order by number')
    assert.deepEqual(applied, [{ name: 'slow' }, { name: 'next' }])
    // Calls have their limits back.
    await assert.rejects(one.query('select pg_sleep(0.5)'), { code: '57014' })
  } finally {
    await Promise.all([one.end(), other.end()])
    await database.drop()
  }
})
