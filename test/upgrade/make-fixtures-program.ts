// Makes the databases of test/upgrade/fixtures, before a release: node scripts/bootstrap.mjs test/upgrade/make-fixtures-program.ts
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import pg from 'pg'
import { postgresMigrations } from '../../src/adapters/postgres/migrate.ts'
import { furnish } from '../server/authorisation-things.ts'
import { host } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, startServer, type TestServer } from '../support/server.ts'
import {
  type FixtureStorage,
  factsFile,
  fixtureEnv,
  fixtureSecret,
  postgresFixture,
  sqliteFixture,
} from './fixture-databases.ts'

/** One of each thing with an id, and what has none: versions, a deleted entry, settings, quotas, a second tenant. */
async function fill(server: TestServer) {
  const made = async (method: string, path: string, body?: unknown, call = server.call) => {
    const answer = await call(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const notes = `${host}/memory/notes/entries`
  await made('PUT', `${host}/secrets/fixture`, { value: fixtureSecret })
  const tea = await made('POST', notes, { content: 'Ada prefers tea.', tags: ['drinks'], subject: 'ada' })
  await made('PATCH', `${notes}/${tea.id}`, { content: 'Ada prefers green tea.' })
  const gone = await made('POST', notes, { content: 'Ada prefers coffee.', expiresAt: '2126-01-01T00:00:00Z' })
  await made('DELETE', `${notes}/${gone.id}`)
  await made('POST', notes, { content: `The word is ${fixtureSecret}.` })
  await made('PATCH', '/v1/tenant/settings', { history_retention_days: 3_650 })
  const operator = server.as(server.operatorKey)
  await made('PATCH', `${host}/tenants/default/quotas`, { entries: 1_000_000 }, operator)
  const other = await server.tenant('other')
  await made('POST', notes, { content: 'Of another tenant.' }, other.call)
  const { canary, subject, things } = await furnish('default', server.call)
  await eventually('the work in the background is done', async () => {
    const { jobs } = (await server.call('GET', `${host}/jobs?status=leased`)).body
    return jobs.length === 0
  })
  return { canary, subject, things: { ...things, 'notes/{id}': tea.id as string } }
}

async function make(storage: FixtureStorage): Promise<void> {
  await using home = await createHome(storage)
  const server = await startServer({ storage, home, env: fixtureEnv })
  const filled = await fill(server)
  await server.stop()
  const facts = { madeAt: new Date().toISOString(), migrations: postgresMigrations.length, ...filled }
  writeFileSync(factsFile(storage), `${JSON.stringify(facts, null, 2)}\n`)
  if (storage === 'sqlite') writeFileSync(sqliteFixture, compress(home.dataDir))
  else writeFileSync(postgresFixture, await dump(home.env.COLOPHON_DATABASE_URL ?? ''))
}

function compress(dataDir: string): Buffer {
  const copy = join(dataDir, 'fixture.db')
  const db = new Database(join(dataDir, 'colophon.db'))
  try {
    db.exec(`vacuum into '${copy}'`)
    return brotliCompressSync(readFileSync(copy))
  } finally {
    db.close()
    rmSync(copy, { force: true })
  }
}

/** Plain SQL: the steps of the schema as this version has them, and every row. The package of PostgreSQL on npm has no pg_dump. */
async function dump(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string; columns: string[] }>(`
      select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
        from information_schema.columns
       where table_schema = 'public' and is_generated = 'NEVER'
       group by table_name
       order by table_name`)
    const parts = [
      '-- A database of version 0.1.0, made by test/upgrade/make-fixtures-program.ts.',
      'create table schema_migration (number bigint not null primary key, name text not null, checksum text not null, applied_at bigint not null);',
      ...postgresMigrations.map(({ name, sql }) => `-- ${name}\n${sql.trimEnd()};`),
    ]
    for (const { name, columns } of tables) {
      const quoted = columns.map((column) => pg.escapeIdentifier(column))
      // A migration may have filled it.
      parts.push(`delete from ${pg.escapeIdentifier(name)};`)
      const values = quoted.map((column) => `quote_nullable(${column}::text)`).join(` || ', ' || `)
      const { rows } = await client.query<{ row: string }>(
        `select ${values} as row from ${pg.escapeIdentifier(name)} order by 1`,
      )
      for (const { row } of rows) parts.push(`insert into ${name} (${quoted.join(', ')}) values (${row});`)
    }
    return `${parts.join('\n')}\n`
  } finally {
    await client.end()
  }
}

for (const storage of ['sqlite', 'postgres'] as const) await make(storage)
await releaseServer()
