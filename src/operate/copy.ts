import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Client } from 'pg'
import { insertAllTags } from '../adapters/postgres/tag-rows.ts'
import { pendingMigrations } from '../adapters/sql/migrations.ts'
import { sqliteMigrations } from '../adapters/sqlite/migrate.ts'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { verifyTenants } from '../app/verify/verify.ts'
import { ColophonError } from '../core/errors.ts'
import { composeEngine, openStorage } from '../open.ts'
import { appliedIn } from './backup.ts'

/** The result of a copy: rows by table, and the verified tenants. */
export type Copied = {
  readonly tables: Readonly<Record<string, number>>
  readonly tenants: readonly { readonly tenantId: string; readonly position: number }[]
}

type Progress = (done: number, total: number) => void

const stepRowsMax = 500
const stepCharactersMax = 4 * 1_024 * 1_024

/** Tables that are not copied: those of searches and tags, which each database derives in its own way. */
const isDerived = (table: string) => table.startsWith('search_') || table === 'entry_tag'

/**
 * Copies a SQLite database with all tenants to an empty PostgreSQL database. The rows are read from one snapshot and inserted in one
 * transaction, so an interrupted copy leaves nothing. Then the rows of every table are counted, and audit and contents of every tenant
 * are verified in PostgreSQL.
 */
export async function copyToPostgres(file: string, url: string, onProgress: Progress = () => {}): Promise<Copied> {
  if (!existsSync(file)) throw new ColophonError('not_found', 'There is no database to copy.')
  const source = new Database(file, { readonly: true, timeout: 10_000 })
  try {
    // Before anything is written: if the source is refused, the target stays empty.
    if (pendingMigrations(sqliteMigrations, appliedIn(source)).length > 0) {
      throw new ColophonError(
        'storage_unavailable',
        'The database has an older schema: start it once with this version.',
      )
    }
    source.exec('begin')
    const tables = await copyInto(url, source, onProgress)
    return { tables, tenants: await verifyCopy(url) }
  } finally {
    source.close()
  }
}

async function copyInto(url: string, source: Database.Database, onProgress: Progress): Promise<Record<string, number>> {
  // Creates the tables, and fails early if the server cannot be reached.
  await (await openStorage({ databaseUrl: url }, Date.now)).close()
  const { default: pg } = await import('pg')
  const target = new pg.Client({ connectionString: url, application_name: 'colophon' })
  await target.connect()
  try {
    await target.query('begin')
    const tables = await copyTables(source, target, onProgress)
    await target.query('commit')
    return tables
  } finally {
    // Without a commit this rolls the transaction back.
    await target.end()
  }
}

async function copyTables(
  source: Database.Database,
  target: Client,
  onProgress: Progress,
): Promise<Record<string, number>> {
  const tables = tablesOf(source)
  await checkTarget(target, tables)
  const counts = Object.fromEntries(tables.map((table) => [table, countOf(source, table)]))
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  let done = 0
  for (const table of tables) {
    for (const rows of pagesOf(source, table)) {
      await insertRows(target, table, rows)
      done += rows.length
      onProgress(done, total)
    }
    const { rows } = await target.query<{ count: string }>(`select count(*) from "${table}"`)
    if (Number(rows[0]?.count) !== counts[table]) {
      throw new ColophonError('storage_corrupt', `The copy of ${table} has another number of rows.`)
    }
  }
  await target.query(insertAllTags)
  // The server builds the search index again, from these numbers.
  await target.query(`
    insert into search_scope (tenant_id, memory_ref, newest, highest_position, unordered_to)
    select tenant_id, memory_ref, max(nth), max(recorded_position), 0
      from entry_version
     group by tenant_id, memory_ref`)
  return counts
}

/** The tables to copy. Both databases must have the same ones, otherwise rows would be lost. */
function tablesOf(source: Database.Database): string[] {
  const names = source
    .prepare("select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'")
    .pluck()
  return (names.all() as string[]).filter((name) => name !== 'schema_migration' && !isDerived(name)).sort()
}

async function checkTarget(target: Client, tables: readonly string[]): Promise<void> {
  const { rows } = await target.query<{ name: string }>(
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  )
  const there = rows.map(({ name }) => name).filter((name) => name !== 'schema_migration' && !isDerived(name))
  const unlike = [...tables.filter((name) => !there.includes(name)), ...there.filter((name) => !tables.includes(name))]
  if (unlike.length > 0) {
    throw new ColophonError('storage_corrupt', `The databases have different tables: ${unlike.sort().join(', ')}.`)
  }
  for (const table of tables) {
    const { rowCount } = await target.query(`select 1 from "${table}" limit 1`)
    if (rowCount !== 0)
      throw new ColophonError('already_exists', `The PostgreSQL database is not empty: ${table} has rows.`)
  }
}

function countOf(source: Database.Database, table: string): number {
  return source.prepare(`select count(*) from "${table}"`).pluck().get() as number
}

type Row = Readonly<Record<string, unknown>>

/** Rows in pages of bounded count and size. */
function* pagesOf(source: Database.Database, table: string): Generator<Row[]> {
  let page: Row[] = []
  let characters = 0
  // The numbers of rows and scopes are SQLite's own.
  for (const { row_id: _row, scope_id: _scope, ...row } of source
    .prepare(rowsOf(table))
    .iterate() as IterableIterator<Row>) {
    page.push(row)
    for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length
    if (page.length < stepRowsMax && characters < stepCharactersMax) continue
    yield page
    page = []
    characters = 0
  }
  if (page.length > 0) yield page
}

/** Versions are numbered in each ref, by the order in which they were recorded. */
function rowsOf(table: string): string {
  if (table !== 'entry_version') return `select * from "${table}"`
  return `
    select *, row_number() over (
             partition by tenant_id, memory_ref
                 order by recorded_position, created_position, ordinal, version) as nth
      from entry_version`
}

async function insertRows(target: Client, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
    .map((name) => `"${name}"`)
    .join(', ')
  const json = JSON.stringify(rows, (_name, value: unknown) => (isBytes(value) ? toHex(value) : value))
  const from = `json_populate_recordset(null::"${table}", $1::json)`
  await target.query(`insert into "${table}" (${columns}) select ${columns} from ${from}`, [json])
}

/** A Buffer as `JSON.stringify` passes it to a replacer. */
type Bytes = { readonly type: 'Buffer'; readonly data: readonly number[] }

function isBytes(value: unknown): value is Bytes {
  return typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer'
}

function toHex({ data }: Bytes): string {
  return `\\x${Buffer.from(data).toString('hex')}`
}

async function verifyCopy(url: string) {
  const storage = await openStorage({ databaseUrl: url }, Date.now)
  const { engine, close } = composeEngine(storage, nodeSystem(), 'copy', null)
  try {
    return await verifyTenants(engine)
  } finally {
    await close()
  }
}
