import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

/** Three processes on one database. */
async function openThree() {
  const database = await createDatabase()
  const open = () => openPostgres({ url: database.url, now: Date.now })
  const stores = [await open(), await open(), await open()] as const
  const [{ shareTenantActivity: first }, { shareTenantActivity: second }, { shareTenantActivity: third }] = stores
  const close = async () => {
    for (const store of stores) await store.close()
    await database.drop()
  }
  return { first, second, third, url: database.url, [Symbol.asyncDispose]: close }
}

test('a process reads the tenant activity of other processes, and not its own', async () => {
  await using processes = await openThree()
  const { first, second, third, url } = processes
  // By hand, so that no slow machine makes it old.
  const keepFresh = () => run(url, 'update tenant_activity set active_at = active_at + 600000')
  assert.equal((await first(['busy', 'quiet'])).size, 0)
  await keepFresh()
  assert.deepEqual(
    [...(await second(['busy']))],
    [
      ['busy', 1],
      ['quiet', 1],
    ],
  )
  await keepFresh()
  assert.deepEqual([...(await first([]))], [['busy', 1]])
  assert.deepEqual(
    [...(await third([]))],
    [
      ['busy', 2],
      ['quiet', 1],
    ],
    'a process that reports nothing still sees the others',
  )
})

test('old tenant activity is ignored, and deleted', async () => {
  await using processes = await openThree()
  const { first, second, url } = processes
  await first(['gone', 'here'])
  await run(url, 'update tenant_activity set active_at = active_at - 2000')
  assert.equal((await second([])).size, 0)
  await run(url, `update tenant_activity set active_at = 0 where tenant_id = 'gone'`)
  await processes.third(['busy'])
  const left = await run(url, 'select tenant_id from tenant_activity order by tenant_id')
  assert.deepEqual(
    left.map((row) => row.tenant_id),
    ['busy', 'here'],
  )
})

test('many processes share activity at once without blocking each other', async () => {
  await using processes = await openThree()
  const { first, second, third, url } = processes
  for (let round = 0; round < 10; round++) {
    await run(url, 'update tenant_activity set active_at = 0')
    await Promise.all([first, second, third].flatMap((share) => [share(['a', 'b']), share(['b', 'a']), share(['c'])]))
  }
})
