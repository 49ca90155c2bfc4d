import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { limits } from '../../src/core/limits.ts'
import { openColophon } from '../../src/open.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

test('a tenant over its queue limit is refused at once with the name of the limit; another tenant is served', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now: Date.now, connectionsMax: 2 })
  await using colophon = await openColophon({ storage })
  const [hot, quiet] = [colophon.memory('hot'), colophon.memory('quiet')]
  for (const memory of [hot, quiet]) await memory.put('notes', { content: 'here' })
  // Another connection locks the table: no query that reads it can be answered.
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('begin; lock table entry_version in access exclusive mode')

  const places = 2
  const calls = places + limits.databaseQueuePerTenantMax + 3
  // The class is named, so that each call is one query: without it, the floor of the tenant is read too.
  const asked = Array.from({ length: calls }, () => hot.list('notes', { trustMin: 'agent' }))
  const results = Promise.allSettled(asked)
  const refused = await Promise.allSettled(asked.slice(-3))
  for (const { reason } of refused as PromiseRejectedResult[]) {
    assert.ok(isColophonError(reason, 'overloaded'), String(reason))
    assert.deepEqual(reason.details, { limit: 'databaseQueuePerTenantMax', max: limits.databaseQueuePerTenantMax })
  }
  const other = quiet.list('notes')
  await holder.query('rollback')
  assert.equal((await other).entries.length, 1)
  const answered = (await results).filter(({ status }) => status === 'fulfilled')
  assert.equal(answered.length, calls - 3, 'all who waited were answered')
  await holder.end()
  await colophon.close()
  await database.drop()
})
