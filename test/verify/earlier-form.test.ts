import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { verify } from '../../src/app/verify/verify.ts'
import { createRandom } from '../support/random.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { tenantId } from '../support/use-cases.ts'
import { acts, type Choose, worldOn } from './acts.ts'
import { toEarlierForm } from './earlier-form.ts'
import { fill } from './tampered-world.ts'

test('records from before every row had a digest are no anomalies, and the verdict shows where full coverage begins', async () => {
  const folder = createFolder()
  after(() => folder.remove())
  const path = folder.file('memory.db')
  const clock = { now: () => 0 }
  const storage = openSqlite({ path, now: () => clock.now() })
  await using world = worldOn(storage)
  clock.now = () => world.clock.now
  await fill(world)
  const snapshot = await storage.snapshot(tenantId)
  await toEarlierForm(path, tenantId, snapshot.rows)
  await snapshot.close()
  world.clock.advance(60_000)
  const look = () => verify(world.tenant, { contents: true })
  const before = await look()
  assert.deepEqual([before.fault, before.contents?.coveredFrom], [undefined, before.to + 1])

  const random = createRandom(1)
  const choose: Choose = (among) => among[Math.floor(random() * among.length)] as (typeof among)[number]
  for (const name of ['put', 'addMessages', 'revise', 'run', 'pin', 'rank', 'age', 'keys'] as const)
    await acts[name](world, choose, 7)
  const { fault, contents } = await look()
  assert.deepEqual([fault, contents?.anomalies, contents?.coveredFrom], [undefined, [], before.to + 1])

  const tamperings = [
    [`update entry_version set content = 'Forged' where memory_ref = 'kept'`, 'changed', 'version'],
    [`update entry_version set memory_ref = 'elsewhere' where memory_ref = 'kept'`, 'changed', 'version'],
    [`delete from entry_version where memory_ref = 'kept'`, 'gone', 'version'],
    [
      `update entry_version set ended_position = 99, ended_reason = 'deleted' where memory_ref = 'kept'`,
      'changed',
      'version',
    ],
    [`delete from admin_record where kind = 'rule'`, 'gone', 'rule'],
  ] as const
  for (const [sql, problem, what] of tamperings) {
    const db = new Database(path)
    db.exec(`create table saved as select * from ${sql.includes('admin_record') ? 'admin_record' : 'entry_version'}`)
    db.exec(sql)
    const found = (await look()).contents?.anomalies ?? []
    const table = sql.includes('admin_record') ? 'admin_record' : 'entry_version'
    db.exec(`delete from ${table}; insert into ${table} select * from saved; drop table saved`)
    db.close()
    assert.ok(
      found.some((one) => one.problem === problem && one.what === what),
      `${sql}: ${JSON.stringify(found)}`,
    )
  }
})
