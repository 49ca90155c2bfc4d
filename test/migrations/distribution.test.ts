import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openPool } from '../../src/adapters/postgres/connection.ts'
import { distributePostgres, postgresDistribution } from '../../src/adapters/postgres/distribute.ts'
import { distributionCalls, type TableKind } from '../../src/adapters/postgres/distribution.ts'
import { migratePostgres, postgresMigrations } from '../../src/adapters/postgres/migrate.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { citusCalls, installCitusStandIn } from '../support/citus-stand-in.ts'
import { createDatabase, createEmptyDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

const table = (name: string, kind: TableKind = 'plain', hasTenant = true) => ({ name, hasTenant, kind })

describe('the calls that distribute a database', () => {
  const callsFor = (...tables: ReturnType<typeof table>[]) =>
    distributionCalls({ hasExtension: true, tables }).map(({ text, values }) => [
      text.match(/select (\w+)/)?.[1],
      ...values,
    ])

  test('begin with the table of tenants, place the others beside it, and keep the rest on the coordinator', () => {
    const all = [table('audit'), table('job_ready'), table('schema_migration', 'plain', false), table('tenant')]
    assert.deepEqual(callsFor(...all), [
      ['create_distributed_table', 'tenant', 'none'],
      ['create_distributed_table', 'audit', 'tenant'],
      ['citus_add_local_table_to_metadata', 'job_ready'],
      ['citus_add_local_table_to_metadata', 'schema_migration'],
    ])
  })

  test('are those for new tables where the others are in place, and none where all are', () => {
    const placed = [table('tenant', 'distributed'), table('job_ready', 'local'), table('notes', 'reference', false)]
    assert.deepEqual(callsFor(...placed, table('quota')), [['create_distributed_table', 'quota', 'tenant']])
    assert.deepEqual(callsFor(...placed), [])
  })
})

test('a PostgreSQL without the extension is not distributed, and nothing of it changes', async () => {
  const database = await createDatabase()
  const before = await run(database.url, 'select relname, relrowsecurity from pg_class order by 1')
  await assert.rejects(distributePostgres(database.url, 'none', 0), { code: 'distribution_unavailable' })
  assert.deepEqual(await run(database.url, 'select relname, relrowsecurity from pg_class order by 1'), before)
  const { hasExtension, tables } = await postgresDistribution(database.url, 'none')
  assert.deepEqual([hasExtension, new Set(tables.map(({ kind }) => kind))], [false, new Set(['plain'])])
  await database.drop()
})

test('with the functions of the extension, every table is placed once, and a later migration places its own', async () => {
  const database = await createEmptyDatabase()
  await (await openPostgres({ url: database.url, now: Date.now, rowSecurity: true })).close()
  await installCitusStandIn(database.url)
  const { tables } = await distributePostgres(database.url, 'none', 0)
  const local = tables.filter(({ kind }) => kind === 'local').map(({ name }) => name)
  assert.deepEqual(local, ['job_ready', 'schema_migration'])
  assert.ok(tables.every(({ name, kind }) => kind === 'distributed' || local.includes(name)))
  const calls = await citusCalls(database.url)
  const placed = calls.filter((call) => !call.startsWith('on the shards'))
  assert.equal(placed[0], 'distribute tenant by tenant_id beside none')
  assert.ok(placed.includes('distribute entry_version by tenant_id beside tenant'))
  assert.equal(placed.length, tables.length)
  const ofLists = calls.find((call) => call.startsWith('on the shards of search_list')) ?? ''
  assert.match(ofLists, /alter column memory_ref set statistics 0, .*alter column rows set storage main/)
  assert.deepEqual(
    await run(database.url, `select relname from pg_class where relrowsecurity`),
    [],
    'policies with a subquery are refused by Citus',
  )

  await distributePostgres(database.url, 'none', 0)
  const again = (await citusCalls(database.url)).slice(calls.length)
  assert.ok(
    again.every((call) => call.startsWith('on the shards')),
    'no table is placed twice',
  )

  await assert.rejects(openPostgres({ url: database.url, now: Date.now, rowSecurity: true }), /COLOPHON_DATABASE_RLS/)

  const pool = openPool(database.url, 1)
  const later = {
    number: postgresMigrations.length + 1,
    name: 'later',
    checksum: 'x',
    sql: `create table later (tenant_id text not null primary key, note text);
          alter table later alter column note set statistics 0;
          alter table entry_version add column later text;
          alter table entry_version alter column later set statistics 0;`,
  }
  const count = (await citusCalls(database.url)).length
  await migratePostgres(pool, 0, [...postgresMigrations, later])
  const added = (await citusCalls(database.url)).slice(count)
  assert.equal(added[0], 'distribute later by tenant_id beside tenant')
  assert.ok(added.some((call) => /shards of entry_version: .*alter column later set statistics 0/.test(call)))
  const settled = (await citusCalls(database.url)).length
  await migratePostgres(pool, 0, [...postgresMigrations, later])
  assert.equal((await citusCalls(database.url)).length, settled, 'nothing is left to do')
  await pool.end()
  await database.drop()
})
