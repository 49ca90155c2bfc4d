import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { prepareOnUse } from './prepare-on-use.ts'

test('a statement is prepared once, when it is first used', () => {
  const db = new Database(':memory:')
  const prepared: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    prepared.push(sql)
    return prepare(sql)
  }) as never
  prepareOnUse(db)
  const sum = db.prepare('select ? + ? as sum')
  db.prepare('select * from missing')
  assert.deepEqual(prepared, [])
  assert.deepEqual(sum.get(1, 2), { sum: 3 })
  assert.deepEqual(sum.all(3, 4), [{ sum: 7 }])
  assert.deepEqual(prepared, ['select ? + ? as sum'])
})

test('it returns rows as objects, as arrays or as their first column, one by one too', () => {
  const db = new Database(':memory:')
  prepareOnUse(db)
  const sql = 'select 1 as one, 2 as two'
  assert.deepEqual(db.prepare(sql).get(), { one: 1, two: 2 })
  assert.deepEqual(db.prepare(sql).raw().get(), [1, 2])
  assert.deepEqual(db.prepare(sql).pluck().all(), [1])
  assert.deepEqual([...db.prepare(sql).pluck().iterate()], [1])
  assert.equal(db.prepare('create table t (a)').run().changes, 0)
})
