import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool, type SqlStatement, statement } from '../../src/adapters/postgres/connection.ts'
import { Database } from '../../src/adapters/postgres/database.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

const text = `select $1::text as tenant, current_setting('statement_timeout') as "longest", pg_sleep(0.3)`
const plain = statement('test_slow', text)
const scan = statement('test_slow_scan', text, { isScan: true })
const write = statement('test_slow_write', 'insert into slow select $1 from pg_sleep(0.3) returning 1', {
  isScan: true,
})

test('a statement that examines every row of a tenant has a longer limit, in the server and here', async () => {
  const { url, drop } = await createDatabase()
  const pool = openPool(url, 4, 'none', null)
  const database = new Database(pool, {
    ...{ connectionsMax: 4, pooler: 'none', isRowSecured: false, isDistributed: false },
    ...{ commitWaitMs: 100, answerWaitMs: 100 },
  })
  try {
    const longest = async (what: SqlStatement) =>
      (await database.send<{ longest: string }>(what, ['acme'])).rows[0]?.longest
    assert.equal(await longest(scan), '5min')
    await assert.rejects(longest(plain), /timeout/)
    await pool.query('create table slow (tenant text)')
    assert.equal((await database.send(write, ['acme'])).rows.length, 1, 'its commit is not overdue')
    assert.deepEqual(
      (await pool.query('select tenant, current_setting($1) as limit from slow', ['statement_timeout'])).rows,
      [{ tenant: 'acme', limit: '15s' }],
    )
  } finally {
    await database.end()
    await drop()
  }
})
