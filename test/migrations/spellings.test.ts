// Migration 18 finds the spellings of people that are stored already.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { openPool } from '../../src/adapters/postgres/connection.ts'
import { migratePostgres, postgresMigrations } from '../../src/adapters/postgres/migrate.ts'
import { migrateSqlite, sqliteMigrations } from '../../src/adapters/sqlite/migrate.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

const before = 15
const [composed, decomposed] = ['Jos\u00e9', 'Jose\u0301']
const isEarlier = ({ name }: { readonly name: string }) => Number(name.slice(0, 4)) <= before

/** Rows as a database of an earlier migration has them, in SQL that both understand. */
const rows = [
  ...[
    ['subject:ada', null, 1, 1],
    [`subject:${decomposed}`, decomposed, 2, 2],
    [`subject:${decomposed}`, decomposed, 2, 9],
    ['notes', composed, 4, 4],
    ['notes', 'Kim', 5, 5],
    ['subject_notes', null, 6, 6],
    ['subject:日本', null, 7, 7],
  ].map(
    ([ref, subject, created, recorded], at) =>
      `insert into entry_version (tenant_id, memory_ref, entry_id, version, content, tags, salt, created_at, created_position,
         ordinal, recorded_position, subject, origin)
       values ('acme', '${ref}', 'mem_${at}', 1, 'x', '[]', 's', 1, ${created}, ${at}, ${recorded},
         ${subject === null ? 'null' : `'${subject}'`}, '{"kind":"api"}')`,
  ),
  ...['\u212aim', ''].map(
    (subject, at) =>
      `insert into source_event (tenant_id, source_event_id, subject, infer, observed_at, received_at, erased_at, payload_hash,
         salt, job_id, actor, request_id, recorded_position, metadata)
       values ('acme', 'src_${at}', '${subject}', 0, 1, 1, ${subject === '' ? 1 : 'null'}, '', '', '', '', '', 11, '{}')`,
  ),
  `insert into claim (tenant_id, claim_id, revision, subject, category, is_contested, updated_position)
   values ('acme', 'clm_1', 1, '\u00e5sa', 'fact', 0, 12)`,
]

const found = [
  [composed, decomposed, 2, 9],
  [composed, composed, 4, 4],
  ['Kim', 'Kim', 5, 5],
  ['Kim', '\u212aim', 11, 11],
  ['\u00e5sa', '\u00e5sa', 12, 12],
  ['日本', '日本', 7, 7],
]
const select =
  'select folded, spelling, first_position, last_position from person_spelling order by folded, first_position, spelling'

test('the spellings that are stored in SQLite are found by the migration', () => {
  const db = new Database(':memory:')
  migrateSqlite(db, 1, sqliteMigrations.filter(isEarlier))
  for (const row of rows) db.exec(row)
  migrateSqlite(db, 2, sqliteMigrations)
  assert.deepEqual(db.prepare(select).raw().all(), found)
  db.close()
})

test('the spellings that are stored in PostgreSQL are found by the migration', async () => {
  const { url, drop } = await createEmptyDatabase()
  const pool = openPool(url, 1)
  try {
    await migratePostgres(pool, 1, postgresMigrations.filter(isEarlier))
    // Its entries are numbered, for the search index.
    for (const [at, row] of rows.entries())
      await run(
        url,
        row
          .replace('subject, origin)', 'subject, origin, nth)')
          .replace(`'{"kind":"api"}')`, `'{"kind":"api"}', ${at})`),
      )
    await migratePostgres(pool, 2, postgresMigrations)
    assert.deepEqual(
      (await run(url, select)).map((row) =>
        Object.values(row).map((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)),
      ),
      found,
    )
  } finally {
    await pool.end()
    await drop()
  }
})

test('a PostgreSQL database in another encoding than UTF-8 is migrated, too', async () => {
  const { url, drop } = await createEmptyDatabase()
  const name = `ascii_${process.pid}`
  const inAscii = Object.assign(new URL(url), { pathname: `/${name}` }).href
  await run(url, `create database ${name} encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0`)
  const pool = openPool(inAscii, 1)
  try {
    await migratePostgres(pool, 1, postgresMigrations.filter(isEarlier))
    await run(inAscii, rows.at(-1) ?? '')
    await migratePostgres(pool, 2, postgresMigrations)
    assert.deepEqual(await run(inAscii, 'select folded, spelling from person_spelling'), [
      { folded: '\u00e5sa', spelling: '\u00e5sa' },
    ])
  } finally {
    await pool.end()
    await run(url, `drop database ${name}`)
    await drop()
  }
})
