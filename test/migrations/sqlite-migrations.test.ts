import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { migrateSqlite, sqliteMigrations } from '../../src/adapters/sqlite/migrate.ts'
import { openColophon } from '../../src/open.ts'
import { endChildren, startChild } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { oldAsRead, oldRowsAt, oldTenant, readOld } from './old-rows.ts'
import { checkRace } from './race.ts'

const folder = createFolder()
after(endChildren)
after(() => folder.remove())

const allNames = sqliteMigrations.map(({ name }) => name)

describe('migrations of SQLite', () => {
  for (let applied = 0; applied < sqliteMigrations.length; applied++) {
    test(`bring a database that stands at migration ${applied} up to date and keep its rows`, async () => {
      const path = folder.file(`from-${applied}.db`)
      const old = oldRowsAt(applied)
      withDatabase(path, (db) => {
        migrateSqlite(db, 1, sqliteMigrations.slice(0, applied))
        for (const { table, row } of old) {
          const columns = Object.keys(row)
          const places = columns.map(() => '?').join()
          db.prepare(`insert into ${table} (${columns}) values (${places})`).run(...Object.values(row))
        }
      })
      await using colophon = await openColophon({ path })
      withDatabase(path, (db) => {
        assert.deepEqual(appliedTo(db), allNames)
        for (const { table, row } of old) {
          const found = db.prepare(`select ${Object.keys(row)} from ${table}`).all()
          assert.deepEqual(
            found.map((values) => ({ ...(values as object) })),
            [row],
          )
        }
      })
      const memory = colophon.memory(oldTenant)
      if (applied > 0) assert.deepEqual(await readOld(memory), oldAsRead)
      await memory.put('log', { content: 'new' })
      assert.equal((await memory.snapshot()).position, 1)
      assert.equal((await memory.verify({ contents: true })).ok, true)
    })
  }

  test('are made once when two processes open a new database in the same moment', { timeout: 60_000 }, async () => {
    const paths = Array.from({ length: 20 }, (_, number) => folder.file(`race-${number}.db`))
    await checkRace(paths.map((path) => ({ path })))
    for (const path of paths) withDatabase(path, (db) => assert.deepEqual(appliedTo(db), allNames))
  })

  test('wait for a process that is just making the same new database', async () => {
    const path = folder.file('held.db')
    const holder = startChild(new URL('./holder-program.ts', import.meta.url), { path })
    await holder.until(1)
    await using colophon = await openColophon({ path })
    await colophon.memory('acme').put('log', { content: 'opened' })
    assert.equal((await holder.ended).code, 0)
  })

  test('of a newer program are refused, and nothing is changed', async () => {
    const path = await createStore('newer.db', `insert into schema_migration values (9999, '9999-later', 'x', 1)`)
    await checkRefused(path, 'schema_newer')
  })

  test('that were edited after they were applied are refused, and nothing is changed', async () => {
    const path = await createStore('edited.db', `update schema_migration set checksum = 'other' where number = 2`)
    await checkRefused(path, 'schema_changed')
  })

  test('that fail in the middle leave whole steps only', () => {
    withDatabase(folder.file('broken.db'), (db) => {
      migrateSqlite(db, 1, sqliteMigrations.slice(0, 2))
      const before = schemaOf(db)
      const broken = { number: 4, name: '0004-broken', checksum: 'x', sql: 'create table half (a); create nonsense' }
      assert.throws(() => migrateSqlite(db, 1, [...sqliteMigrations.slice(0, 3), broken]))
      assert.ok(!schemaOf(db).includes('half'), 'half a step was kept')
      // Either the third step was kept as a whole, or nothing was; the register says which.
      if (appliedTo(db).length === 2) assert.equal(schemaOf(db), before)
      else assert.match(schemaOf(db), /idempotency/)
      migrateSqlite(db, 1)
      assert.deepEqual(appliedTo(db), allNames)
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

function appliedTo(db: Database.Database): unknown[] {
  return db.prepare('select name from schema_migration order by number').pluck().all()
}

function schemaOf(db: Database.Database): string {
  return db.prepare('select sql from sqlite_master order by name').pluck().all().join('\n')
}

async function createStore(name: string, change: string): Promise<string> {
  const path = folder.file(name)
  await (await openColophon({ path })).close()
  withDatabase(path, (db) => db.exec(change))
  return path
}

async function checkRefused(path: string, code: string): Promise<void> {
  const before = readFileSync(path)
  await assert.rejects(openColophon({ path }), { name: 'ColophonError', code })
  assert.deepEqual(readFileSync(path), before)
}
