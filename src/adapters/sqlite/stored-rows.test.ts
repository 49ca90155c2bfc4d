import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import type { RowKey, StoredRow } from '../../ports/stored-rows.ts'
import { migrateSqlite } from './migrate.ts'
import { createStoredRows } from './stored-rows.ts'

test('pages of tags begin where the one before ended, within a ref and in the next', async () => {
  const db = new Database(':memory:')
  migrateSqlite(db, 0)
  const prepared: string[] = []
  const prepare = db.prepare.bind(db)
  const noting = Object.assign(Object.create(db), {
    prepare(sql: string) {
      prepared.push(sql)
      return prepare(sql)
    },
  })
  const scope = db.prepare(`
    insert into search_scope (scope_id, tenant_id, memory_ref, newest, highest_position, indexed, row_count, unordered_to)
    values (?, ?, ?, 1, 1, 0, 0, 0)`)
  const tag = db.prepare('insert into search_tag values (?, ?, ?, ?, 1, ?, null)')
  // The numbers of refs are in another order than their names.
  const refs = [
    [3, 'acme', 'a'],
    [1, 'acme', 'b'],
    [2, 'acme', 'c'],
    [4, 'globex', 'a'],
  ] as const
  for (const ref of refs) {
    scope.run(...ref)
    for (let position = 1; position <= 4; position++)
      for (const name of ['x', 'y']) tag.run(ref[0], name, position, position % 2, position)
  }
  const rows = createStoredRows(noting, async (work) => work())
  const keysBy = async (limit: number) => {
    const keys: string[] = []
    for (let after: RowKey | null = null; ; ) {
      const page: readonly StoredRow<unknown>[] = await rows.page('tags', { tenantId: 'acme', after, limit })
      keys.push(...page.map(({ key }) => key.join(' ')))
      after = page.at(-1)?.key ?? null
      if (page.length < limit) return keys
    }
  }
  const all = await keysBy(100)
  assert.equal(all.length, 24)
  assert.deepEqual([all[0], all[8], all[23]], ['a x 1 1 1', 'b x 1 1 1', 'c y 4 0 1'])
  for (const limit of [1, 3, 5]) assert.deepEqual(await keysBy(limit), all)
  // Each page is found by the index: otherwise it would read all rows of the ref before it.
  const plans = prepared.map((sql) => {
    const values = Array(sql.split('?').length - 1).fill(1)
    return (prepare(`explain query plan ${sql}`).all(...values) as { detail: string }[]).map(({ detail }) => detail)
  })
  assert.ok(
    plans.flat().some((detail) => /search t .*scope_id=\? and \(tag,.*\)>\(/i.test(detail)),
    plans.join('; '),
  )
  assert.ok(plans.flat().every((detail) => !/scan|b-tree/i.test(detail)))
})
