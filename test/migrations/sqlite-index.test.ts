import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { migrateSqlite, sqliteMigrations } from '../../src/adapters/sqlite/migrate.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { find } from '../contract/suite/search-calls.ts'
import { createFolder } from '../support/temporary-folder.ts'

const folder = createFolder()
after(() => folder.remove())

type Version = {
  tenant: string
  ref: string
  id: string
  version: number
  created: number
  recorded: number
  ended: number | null
}

/** Two tenants and three refs, stored in turns, with revised and ended versions. */
const versions: Version[] = Array.from({ length: 120 }, (_, n) => {
  const position = n + 1
  const [tenant, ref] = [n % 4 === 3 ? 'bell' : 'acme', n % 4 === 1 ? 'log' : 'notes']
  const isRevised = n % 5 === 4
  const of = isRevised ? n - 4 : n
  const owner = isRevised
    ? { tenant: of % 4 === 3 ? 'bell' : 'acme', ref: of % 4 === 1 ? 'log' : 'notes' }
    : { tenant, ref }
  const ended = n % 5 === 0 ? position + 4 : null
  return { ...owner, id: `mem_${of}`, version: isRevised ? 2 : 1, created: of + 1, recorded: position, ended }
})

/** A database of migration 4, as a program stored it: some rows are indexed, the others wait. */
function createOld(path: string): void {
  const db = new Database(path)
  migrateSqlite(db, 1, sqliteMigrations.slice(0, 4))
  for (const tenant of ['acme', 'bell']) {
    db.prepare("insert into tenant values (?, 'active', zeroblob(32), 1)").run(tenant)
    db.prepare('insert into tenant_clock values (?, 200, ?, 1, 1, 0)').run(tenant, '0'.repeat(64))
  }
  const insert = db.prepare(`
    insert into entry_version (tenant_id, memory_ref, entry_id, version, content, tags, salt, created_at, created_position,
      ordinal, recorded_position, ended_position, ended_reason, origin)
    values (?, ?, ?, ?, ?, '["kept"]', 'salt', 1, ?, 0, ?, ?, ?, '{"kind":"api"}')`)
  for (const { tenant, ref, id, version, created, recorded, ended } of versions) {
    const content = `heron ${id} ${version}`
    insert.run(tenant, ref, id, version, content, created, recorded, ended, ended && 'revised')
    if (recorded % 2 === 0) {
      db.prepare('insert into search_waiting values (?, ?, ?, 0, ?, ?)').run(tenant, ref, recorded, id, version)
      continue
    }
    db.prepare('insert or ignore into search_scope values (?, ?, ?, 1, 1)').run(recorded, tenant, ref)
    db.prepare('insert or ignore into search_row values (?, ?, ?, ?, ?, ?, ?)').run(
      ...[recorded, tenant, id, version, recorded, 'heron', ''],
    )
    db.prepare('insert into search_key (rowid, keys) values (?, ?)').run(recorded, `${recorded}xheron`)
  }
  db.close()
}

test('migration 5 numbers the versions of each ref in their order, and search finds all of them as before', async () => {
  const path = folder.file('old.db')
  createOld(path)
  const storage = openSqlite({ path, now: Date.now })
  for (const isIndexed of [false, true]) {
    for (const [tenantId, memoryRef] of [
      ['acme', 'notes'],
      ['acme', 'log'],
      ['bell', 'notes'],
    ] as const) {
      while (isIndexed && (await storage.search.index(tenantId, memoryRef, 7)) > 0);
      for (const position of [0, 30, 61, 200]) {
        const recorded = versions.filter((v) => v.tenant === tenantId && v.ref === memoryRef && v.recorded <= position)
        const live = recorded.filter(({ ended }) => ended === null || ended > position)
        const found = await find(storage, 'heron', { tenantId, memoryRef, position })
        assert.deepEqual([found.entries, found.frequencies], [recorded.length, [recorded.length]])
        assert.deepEqual(
          found.rows.map(({ version }) => version.content),
          live.map(({ id, version }) => `heron ${id} ${version}`).reverse(),
        )
      }
    }
  }
  await storage.close()
  const db = new Database(path)
  const rows = () => db.prepare('select row_id, recorded_position from entry_version order by row_id').all()
  const before = rows()
  db.exec('vacuum')
  assert.deepEqual(rows(), before)
  assert.equal(before.length, versions.length)
  // Of the old index nothing is left.
  const tables = db.prepare(
    "select name from sqlite_master where name in ('search_row', 'search_waiting', 'entry_number')",
  )
  assert.deepEqual(tables.all(), [])
  assert.equal(
    db.prepare(`select count(*) from search_key where search_key match '"1xheron"' and rowid < 1000`).pluck().get(),
    0,
  )
  db.close()
})
