import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openPool } from '../../src/adapters/postgres/connection.ts'
import { migratePostgres, postgresMigrations } from '../../src/adapters/postgres/migrate.ts'
import type { Migration } from '../../src/adapters/sql/migrations.ts'
import { openColophon } from '../../src/open.ts'
import { registerBeforeRelease, wayOutOfTooOld } from '../support/before-release.ts'
import { endChildren } from '../support/child.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'
import { firstAsRead, firstRows, firstRowsInPostgres, firstTenant, readFirst } from './first-rows.ts'
import { brokenAfter, laterThan, waysUp } from './later-migrations.ts'
import { describePostgres } from './postgres-schema.ts'
import { checkRace } from './race.ts'

after(endChildren)
after(releaseServer)

const programNames = postgresMigrations.map(({ name }) => name)
const laterMigrations = [...postgresMigrations, ...laterThan(postgresMigrations)]
const laterNames = laterMigrations.map(({ name }) => name)

describe('migrations of PostgreSQL', () => {
  for (const stops of waysUp(laterMigrations.length)) {
    test(`bring a database at migration ${stops} up to date and keep its rows`, async () => {
      const { url, drop } = await createEmptyDatabase()
      if (stops[0] !== 0) {
        await migrate(url, laterMigrations.slice(0, 1))
        await insertFirstRows(url)
      }
      for (const applied of stops) await migrate(url, laterMigrations.slice(0, applied))
      await migrate(url, laterMigrations)
      assert.deepEqual(await appliedTo(url), laterNames)
      if (stops[0] !== 0) {
        for (const { table, row } of firstRowsInPostgres) {
          const stored = await run(url, `select ${Object.keys(row)} from ${table}`)
          assert.deepEqual(stored.map(withTextNumbers), [withTextNumbers(row)])
        }
        const counted = await run(url, 'select tenant_id, entries, twice from entry_count')
        assert.deepEqual(counted, [{ tenant_id: firstTenant, entries: '1', twice: '2' }])
      }
      await drop()
    })
  }

  test('of this program let it read and write what was stored at migration 1', async () => {
    const { url, drop } = await createEmptyDatabase()
    await migrate(url, postgresMigrations.slice(0, 1))
    await insertFirstRows(url)
    await using colophon = await openColophon({ databaseUrl: url })
    assert.deepEqual(await appliedTo(url), programNames)
    const memory = colophon.memory(firstTenant)
    assert.deepEqual(await readFirst(memory), firstAsRead)
    await memory.put('log', { content: 'new' })
    assert.equal((await memory.snapshot()).position, 1)
    // The rows were inserted by hand, so no record explains them: only the chain holds.
    assert.deepEqual([(await memory.verify()).ok, (await memory.verify({ contents: true })).ok], [true, false])
    await colophon.close()
    await drop()
  })

  test('are applied once when two processes open a new database at the same moment', { timeout: 60_000 }, async () => {
    const databases = [await createEmptyDatabase(), await createEmptyDatabase(), await createEmptyDatabase()]
    await checkRace(databases.map(({ url }) => ({ databaseUrl: url })))
    for (const { url, drop } of databases) {
      assert.deepEqual(await appliedTo(url), programNames)
      await drop()
    }
  })

  test('are applied to a table that is published for replication', async () => {
    const { url, drop } = await createEmptyDatabase()
    await migrate(url, postgresMigrations.slice(0, 14))
    await run(url, 'create publication copies for table entry_tag')
    await migrate(url, postgresMigrations)
    assert.deepEqual(await appliedTo(url), programNames)
    await drop()
  })

  test('refuse an ordinal that rows of tags cannot store', async () => {
    const { url, drop } = await createEmptyDatabase()
    await migrate(url, postgresMigrations.slice(0, 14))
    const columns = 'tenant_id, memory_ref, tag, created_position, ordinal, version, recorded_position'
    await run(url, `insert into entry_tag (${columns}) values ('acme', 'notes', 'a', 1, 1048575, 1, 1)`)
    await assert.rejects(migrate(url, postgresMigrations), /version_or_ordinal_is_too_large/)
    assert.equal((await appliedTo(url)).length, 14)
    await drop()
  })

  test('of a newer program are refused, and nothing is changed', () =>
    checkRefused((url) => migrate(url, laterMigrations), { code: 'schema_newer' }))

  test('that were edited after they were applied are refused, and nothing is changed', () =>
    checkRefused((url) => run(url, `update schema_migration set checksum = 'other' where number = 1`), {
      code: 'schema_changed',
    }))

  test('of a program from before 0.1.0 are refused with an explanation, and nothing is changed', () =>
    checkRefused((url) => run(url, registerBeforeRelease), { code: 'schema_too_old', hint: wayOutOfTooOld }))

  test('that fail in the middle leave only complete steps', async () => {
    const { url, drop } = await createEmptyDatabase()
    await migrate(url, postgresMigrations)
    await assert.rejects(migrate(url, [...laterMigrations, brokenAfter(laterMigrations)]))
    assert.deepEqual(await appliedTo(url), laterNames)
    const schema = await describePostgres(url)
    assert.doesNotMatch(schema, /half/)
    assert.match(schema, /entry_count/)
    await drop()
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

async function insertFirstRows(url: string): Promise<void> {
  for (const { table, row } of firstRows) {
    const columns = Object.keys(row)
    const values = columns.map((_, index) => `$${index + 1}`).join()
    await run(url, `insert into ${table} (${columns}) values (${values})`, Object.values(row))
  }
}

/** The plain driver gives whole numbers of 64 bits as text, and those of 32 as numbers. */
function withTextNumbers(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? `${value}` : value]),
  )
}

async function appliedTo(url: string): Promise<unknown[]> {
  return (await run(url, 'select name from schema_migration order by number')).map(({ name }) => name)
}

async function checkRefused(
  change: (url: string) => Promise<unknown>,
  error: { readonly code: string; readonly hint?: RegExp },
): Promise<void> {
  const { url, drop } = await createEmptyDatabase()
  await (await openColophon({ databaseUrl: url })).close()
  await change(url)
  const stateOf = async () => [await describePostgres(url), await run(url, 'select * from schema_migration')]
  const before = await stateOf()
  await assert.rejects(openColophon({ databaseUrl: url }), { name: 'ColophonError', ...error })
  assert.deepEqual(await stateOf(), before)
  await drop()
}
