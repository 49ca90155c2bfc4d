import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { migrateSqlite, sqliteMigrations } from '../../src/adapters/sqlite/migrate.ts'
import { openColophon } from '../../src/open.ts'
import { registerBeforeRelease, wayOutOfTooOld } from '../support/before-release.ts'
import { endChildren, startChild } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { firstAsRead, firstRows, firstTenant, readFirst } from './first-rows.ts'
import { brokenAfter, laterThan, waysUp } from './later-migrations.ts'
import { checkRace } from './race.ts'

const folder = createFolder()
after(endChildren)
after(() => folder.remove())

const programNames = sqliteMigrations.map(({ name }) => name)
const laterMigrations = [...sqliteMigrations, ...laterThan(sqliteMigrations)]
const laterNames = laterMigrations.map(({ name }) => name)

describe('migrations of SQLite', () => {
  for (const stops of waysUp(laterMigrations.length)) {
    test(`bring a database at migration ${stops} up to date and keep its rows`, () => {
      withDatabase(folder.file(`from-${stops.join('-')}.db`), (db) => {
        if (stops[0] !== 0) {
          migrateSqlite(db, 1, laterMigrations.slice(0, 1))
          insertFirstRows(db)
        }
        for (const applied of stops) migrateSqlite(db, 1, laterMigrations.slice(0, applied))
        migrateSqlite(db, 1, laterMigrations)
        assert.deepEqual(appliedTo(db), laterNames)
        if (stops[0] === 0) return
        for (const { table, row } of firstRows) {
          assert.deepEqual(db.prepare(`select ${Object.keys(row)} from ${table}`).all(), [row])
        }
        const counted = db.prepare('select tenant_id, entries, twice from entry_count').all()
        assert.deepEqual(counted, [{ tenant_id: firstTenant, entries: 1, twice: 2 }])
      })
    })
  }

  test('of this program let it read and write what was stored at migration 1', async () => {
    const path = folder.file('first.db')
    withDatabase(path, (db) => {
      migrateSqlite(db, 1, sqliteMigrations.slice(0, 1))
      insertFirstRows(db)
    })
    await using colophon = await openColophon({ path })
    withDatabase(path, (db) => assert.deepEqual(appliedTo(db), programNames))
    const memory = colophon.memory(firstTenant)
    assert.deepEqual(await readFirst(memory), firstAsRead)
    await memory.put('log', { content: 'new' })
    assert.equal((await memory.snapshot()).position, 1)
    // The rows were inserted by hand, so no record explains them: only the chain holds.
    assert.deepEqual([(await memory.verify()).ok, (await memory.verify({ contents: true })).ok], [true, false])
  })

  test('are applied once when two processes open a new database at the same moment', { timeout: 60_000 }, async () => {
    const paths = Array.from({ length: 20 }, (_, number) => folder.file(`race-${number}.db`))
    await checkRace(paths.map((path) => ({ path })))
    for (const path of paths) withDatabase(path, (db) => assert.deepEqual(appliedTo(db), programNames))
  })

  test('wait for a process that is creating the same new database', async () => {
    const path = folder.file('held.db')
    const holder = startChild(new URL('./holder-program.ts', import.meta.url), { path })
    await holder.until(1)
    await using colophon = await openColophon({ path })
    await colophon.memory('acme').put('log', { content: 'opened' })
    assert.equal((await holder.ended).code, 0)
  })

  test('of a newer program are refused, and nothing is changed', async () => {
    const path = await createStore('newer.db', (db) => migrateSqlite(db, 1, laterMigrations))
    await checkRefused(path, { code: 'schema_newer' })
  })

  test('that were edited after they were applied are refused, and nothing is changed', async () => {
    const edit = `update schema_migration set checksum = 'other' where number = 1`
    const path = await createStore('edited.db', (db) => db.exec(edit))
    await checkRefused(path, { code: 'schema_changed' })
  })

  test('of a program from before 0.1.0 are refused with an explanation, and nothing is changed', async () => {
    const path = await createStore('too-old.db', (db) => {
      db.exec(registerBeforeRelease)
      // As in a backup: opening would write another mode to the file.
      db.pragma('journal_mode = delete')
    })
    await checkRefused(path, { code: 'schema_too_old', hint: wayOutOfTooOld })
  })

  test('that fail in the middle leave only complete steps', () => {
    withDatabase(folder.file('broken.db'), (db) => {
      migrateSqlite(db, 1)
      const before = schemaOf(db)
      assert.throws(() => migrateSqlite(db, 1, [...laterMigrations, brokenAfter(laterMigrations)]))
      assert.ok(!schemaOf(db).includes('half'), 'half a step was kept')
      // Either the steps before it were kept as a whole, or nothing was; the register says which.
      if (appliedTo(db).length === programNames.length) assert.equal(schemaOf(db), before)
      else assert.match(schemaOf(db), /entry_count.*twice/s)
      migrateSqlite(db, 1, laterMigrations)
      assert.deepEqual(appliedTo(db), laterNames)
    })
  })
})

function withDatabase(path: string, work: (db: Database.Database) => void): void {
  const db = new Database(path)
  try {
    work(db)
  } finally {
    db.close()
  }
}

function insertFirstRows(db: Database.Database): void {
  for (const { table, row } of firstRows) {
    const columns = Object.keys(row)
    const values = columns.map(() => '?').join()
    db.prepare(`insert into ${table} (${columns}) values (${values})`).run(...Object.values(row))
  }
}

function appliedTo(db: Database.Database): unknown[] {
  return db.prepare('select name from schema_migration order by number').pluck().all()
}

function schemaOf(db: Database.Database): string {
  return db.prepare('select sql from sqlite_master order by name').pluck().all().join('\n')
}

async function createStore(name: string, change: (db: Database.Database) => void): Promise<string> {
  const path = folder.file(name)
  await (await openColophon({ path })).close()
  withDatabase(path, change)
  return path
}

async function checkRefused(path: string, error: { readonly code: string; readonly hint?: RegExp }): Promise<void> {
  const before = readFileSync(path)
  await assert.rejects(openColophon({ path }), { name: 'ColophonError', ...error })
  assert.deepEqual(readFileSync(path), before)
}
