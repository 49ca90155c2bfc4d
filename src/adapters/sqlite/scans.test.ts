import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { countTurns } from '../../../test/support/count-turns.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { isColophonError } from '../../core/errors.ts'
import { countInSteps } from './count-in-steps.ts'
import { createScans } from './scans.ts'

function openNumbers(rows: number) {
  const path = `${createFolder().path}/numbers.db`
  const db = new Database(path)
  db.pragma('journal_mode = wal')
  db.exec('create table number (tenant_id text, id text, size integer, primary key (tenant_id, id)) without rowid')
  const insert = db.prepare('insert into number values (?, ?, ?)')
  db.transaction(() => {
    for (let n = 0; n < rows; n++) insert.run(n % 10 === 0 ? 'globex' : 'acme', String(n).padStart(6, '0'), n)
  })()
  return { path, db }
}

/** How often each method of a statement of this connection was called since. */
function countCalls(db: Database.Database): { all: number; get: number } {
  const calls = { all: 0, get: 0 }
  const prototype = Object.getPrototypeOf(db.prepare('select 1')) as Record<string, (...args: unknown[]) => unknown>
  for (const name of ['all', 'get'] as const) {
    const original = prototype[name] as (...args: unknown[]) => unknown
    prototype[name] = function (this: { database: unknown }, ...args) {
      if (this.database === db) calls[name] += 1
      return original.apply(this, args)
    }
  }
  return calls
}

const total = {
  sql: 'select count(*) as count, sum(size) as size from number where tenant_id = :tenant',
  params: { tenant: 'acme' },
}

test('a large file is scanned by another thread, and a small one in place', async () => {
  const { path, db } = openNumbers(100)
  const calls = countCalls(db)
  const scans = createScans(db, path, 0)
  const expected = [[{ count: 90, size: 4_500 }], [{ count: 90, size: 4_500 }]]
  assert.deepEqual(await scans.read([total, total]), expected)
  assert.deepEqual(calls, { all: 0, get: 0 })
  const inPlace = createScans(db, path)
  assert.deepEqual(await inPlace.read([total, total]), expected)
  assert.equal(calls.all, 2)
  await scans.close()
  await inPlace.close()
  await assert.rejects(scans.read([total]), (error) => isColophonError(error, 'closed'))
})

test('a scan sees what was committed before it, and an error of the thread fails only its own call', async () => {
  const { path, db } = openNumbers(10)
  const scans = createScans(db, path, 0)
  const missing = { sql: 'select * from missing', params: {} }
  const [failed, first] = await Promise.allSettled([scans.read([missing]), scans.read([total])])
  assert.equal(failed.status, 'rejected')
  assert.deepEqual(first, { status: 'fulfilled', value: [[{ count: 9, size: 45 }]] })
  db.prepare("insert into number values ('acme', 'x', 5)").run()
  assert.deepEqual(await scans.read([total]), [[{ count: 10, size: 50 }]])
  await scans.close()
})

test('a call that waits when the store is closed is refused', async () => {
  const { path, db } = openNumbers(10)
  const scans = createScans(db, path, 0)
  const call = scans.read([total])
  const refused = assert.rejects(call, (error) => isColophonError(error, 'closed'))
  await scans.close()
  await refused
})

test('rows are counted in steps of bounded size, with a pause after each', async () => {
  const { db } = openNumbers(30_000)
  const calls = countCalls(db)
  const texts: string[] = []
  const prepare = (sql: string) => {
    texts.push(sql)
    return db.prepare(sql)
  }
  const recorded = { prepare } as unknown as Database.Database
  const count = countInSteps(recorded, { table: 'number', key: 'id', before: '', condition: 'size % 2 = 0' })
  const { result: counted, turns } = await countTurns(() => count({ tenantId: 'acme' }))
  assert.equal(counted, 12_000)
  // 27,000 rows of the tenant in steps of about 2,000: two statements each.
  assert.equal(calls.get, 28)
  assert.ok(turns >= 13, `${turns} turns of the event loop`)
  const step = texts.find((sql) => sql.includes(':last')) ?? ''
  const plan = db.prepare(`explain query plan ${step}`).all({ tenantId: '', after: '', last: '' })
  assert.match(JSON.stringify(plan), /id>\? AND id<\?/, 'a step reads its own rows only')
})
