import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import type { QueryResultRow } from 'pg'
import { openPool, type Queryable } from '../../src/adapters/postgres/connection.ts'
import { expectedSchema, readSchema, toText } from '../../src/adapters/postgres/schema.ts'
import { migrateSqlite } from '../../src/adapters/sqlite/migrate.ts'
import { openColophon } from '../../src/open.ts'
import { createEmptyDatabase, releaseServer, run, type TestDatabase } from '../support/databases.ts'
import * as postgres from './postgres-schema.ts'
import * as sqlite from './sqlite-schema.ts'

/** The register of migrations belongs to the whole database. */
const withoutTenant = [
  'schema_migration',
  // What SQLite keeps for its full-text index and of tags: every key in it begins with its scope.
  'search_key',
  'search_key_config',
  'search_key_data',
  'search_key_idx',
  'search_tag',
  // The rules by which all of its keys were made.
  'search_rules',
]
/** Workers query it for the tenants with due jobs. */
const acrossTenants = ['job_ready_by_due']
/** The first half of its number is of the tenant. */
const byNumber = ['entry_tag_by_place']
/** Rows that nothing but their columns identifies. */
const withoutKey = ['entry_tag']

/** Compares with the file beside this one. `COLOPHON_UPDATE_SCHEMA=1` writes it, for a review of what a migration changed. */
function checkFile(name: string, schema: string): void {
  const file = new URL(name, import.meta.url)
  if (process.env.COLOPHON_UPDATE_SCHEMA === '1') writeFileSync(file, schema)
  assert.equal(schema, readFileSync(file, 'utf8').replaceAll('\r\n', '\n'))
}

function checkTenantLeads(tables: readonly string[], indexes: readonly sqlite.SqliteIndex[]): void {
  for (const table of tables) assert.ok(withoutTenant.includes(table) || indexes.some((index) => index.table === table))
  for (const { table, name, columns } of indexes) {
    if (withoutTenant.includes(table) || acrossTenants.includes(name) || byNumber.includes(name)) continue
    assert.equal(columns[0], 'tenant_id', `${name} of ${table} does not lead with the tenant`)
  }
}

test('migrations have the same names in both adapters', () => {
  const names = (adapter: string) => readdirSync(new URL(`../../src/adapters/${adapter}/migrations/`, import.meta.url))
  assert.deepEqual(names('postgres').sort(), names('sqlite').sort())
})

describe('the schema of SQLite', () => {
  const db = new Database(':memory:')
  before(() => migrateSqlite(db, 1))
  after(() => db.close())

  test('is the one that is checked in', () => checkFile('./sqlite-schema.sql', sqlite.describeSqlite(db)))

  test('leads every key and index with the tenant', () => {
    checkTenantLeads(sqlite.readTables(db), sqlite.readIndexes(db))
  })

  test('has no autoincrement and no foreign keys', () => {
    assert.doesNotMatch(sqlite.describeSqlite(db), /autoincrement|references|foreign key/i)
    for (const table of sqlite.readTables(db)) assert.deepEqual(db.pragma(`foreign_key_list(${table})`), [])
  })
})

describe('the schema of PostgreSQL', () => {
  let database: TestDatabase
  before(async () => {
    database = await createEmptyDatabase()
    await (await openColophon({ databaseUrl: database.url })).close()
  })
  after(async () => {
    await database.drop()
    await releaseServer()
  })

  test('is the one that is checked in', async () =>
    checkFile('./postgres-schema.txt', await postgres.describePostgres(database.url)))

  test('is the one that verification expects', async () => {
    const pool = openPool(database.url, 1, 'none')
    const tables = await postgres.readTables(database.url)
    const session = {
      send: <Row extends QueryResultRow>({ text }: { text: string }, values: readonly unknown[]) =>
        pool.query<Row>(text, [...values]),
    }
    const text = toText(await readSchema(session as Queryable, tables))
    await pool.end()
    if (process.env.COLOPHON_UPDATE_SCHEMA === '1') writeFileSync(expectedSchema, text)
    assert.equal(text, readFileSync(expectedSchema, 'utf8').replaceAll('\r\n', '\n'))
  })

  test('leads every key and index with the tenant', async () => {
    const indexes = await postgres.readIndexes(database.url)
    const tables = await postgres.readTables(database.url)
    checkTenantLeads(tables, indexes)
    for (const table of tables.filter((name) => !withoutKey.includes(name)))
      assert.ok(
        indexes.some((index) => index.table === table && index.isPrimaryKey),
        table,
      )
  })

  // A sequence is no log position (transactions commit out of order), and a foreign key would lock rows of other tables.
  test('has no sequence and no foreign key', async () => {
    assert.deepEqual(await run(database.url, `select relname from pg_class where relkind = 'S'`), [])
    assert.deepEqual(await run(database.url, `select conname from pg_constraint where contype = 'f'`), [])
  })
})
