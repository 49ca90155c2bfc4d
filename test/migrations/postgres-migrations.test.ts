import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Migration } from '../../src/adapters/migrations.ts'
import { openPool } from '../../src/adapters/postgres/connection.ts'
import { migratePostgres, postgresMigrations } from '../../src/adapters/postgres/migrate.ts'
import { openColophon } from '../../src/open.ts'
import { endChildren } from '../support/child.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'
import { oldAsRead, oldRowsAt, oldTenant, readOld } from './old-rows.ts'
import { describePostgres } from './postgres-schema.ts'
import { checkRace } from './race.ts'

after(endChildren)
after(releaseServer)

const allNames = postgresMigrations.map(({ name }) => name)

describe('migrations of PostgreSQL', () => {
  for (let applied = 0; applied < postgresMigrations.length; applied++) {
    test(`bring a database that stands at migration ${applied} up to date and keep its rows`, async () => {
      const database = await createEmptyDatabase()
      await migrate(database.url, postgresMigrations.slice(0, applied))
      const old = oldRowsAt(applied)
      for (const { table, row } of old) {
        const columns = Object.keys(row)
        const places = columns.map((_, index) => `$${index + 1}`).join()
        await run(database.url, `insert into ${table} (${columns}) values (${places})`, Object.values(row))
      }
      await using colophon = await openColophon({ databaseUrl: database.url })
      assert.deepEqual(await appliedTo(database.url), allNames)
      for (const { table, row } of old) {
        const found = await run(database.url, `select ${Object.keys(row)} from ${table}`)
        assert.deepEqual(found, [withTextNumbers(row)])
      }
      const memory = colophon.memory(oldTenant)
      if (applied > 0) assert.deepEqual(await readOld(memory), oldAsRead)
      await memory.put('log', { content: 'new' })
      assert.equal((await memory.snapshot()).position, 1)
      assert.equal((await memory.verify({ contents: true })).ok, true)
      await colophon.close()
      await database.drop()
    })
  }

  test('are made once when two processes open a new database in the same moment', { timeout: 60_000 }, async () => {
    const databases = [await createEmptyDatabase(), await createEmptyDatabase(), await createEmptyDatabase()]
    await checkRace(databases.map(({ url }) => ({ databaseUrl: url })))
    for (const { url, drop } of databases) {
      assert.deepEqual(await appliedTo(url), allNames)
      await drop()
    }
  })

  test('of a newer program are refused, and nothing is changed', () =>
    checkRefused(`insert into schema_migration values (9999, '9999-later', 'x', 1)`, 'schema_newer'))

  test('that were edited after they were applied are refused, and nothing is changed', () =>
    checkRefused(`update schema_migration set checksum = 'other' where number = 2`, 'schema_changed'))

  test('that fail in the middle leave whole steps only', async () => {
    const database = await createEmptyDatabase()
    await migrate(database.url, postgresMigrations.slice(0, 2))
    const broken = { number: 4, name: '0004-broken', checksum: 'x', sql: 'create table half (a int); create nonsense' }
    await assert.rejects(migrate(database.url, [...postgresMigrations.slice(0, 3), broken]))
    assert.deepEqual(await appliedTo(database.url), allNames.slice(0, 3))
    const schema = await describePostgres(database.url)
    assert.doesNotMatch(schema, /half/)
    assert.match(schema, /idempotency/)
    await migrate(database.url, postgresMigrations)
    assert.deepEqual(await appliedTo(database.url), allNames)
    await database.drop()
  })
})

async function migrate(url: string, migrations: readonly Migration[]): Promise<void> {
  const pool = openPool(url, 1)
  try {
    await migratePostgres(pool, 1, migrations)
  } finally {
    await pool.end()
  }
}

/** As the plain driver gives it: whole numbers of 64 bits come as text. */
function withTextNumbers(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? `${value}` : value]),
  )
}

async function appliedTo(url: string): Promise<unknown[]> {
  return (await run(url, 'select name from schema_migration order by number')).map(({ name }) => name)
}

async function checkRefused(change: string, code: string): Promise<void> {
  const database = await createEmptyDatabase()
  await (await openColophon({ databaseUrl: database.url })).close()
  await run(database.url, change)
  const before = [await describePostgres(database.url), await run(database.url, 'select * from schema_migration')]
  await assert.rejects(openColophon({ databaseUrl: database.url }), { name: 'ColophonError', code })
  const now = [await describePostgres(database.url), await run(database.url, 'select * from schema_migration')]
  assert.deepEqual(now, before)
  await database.drop()
}
