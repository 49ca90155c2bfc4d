import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { addBody, memoriesOf } from '../server/memories-calls.ts'
import { runCli } from '../support/cli.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { createHome } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

after(releaseServer)

const host = '/v1/host/colophon'

test('a SQLite database with several tenants becomes a PostgreSQL database that a server goes on with', async () => {
  await using home = await createHome('sqlite')
  await using target = await createHome('postgres')
  const to = target.env.COLOPHON_DATABASE_URL as string
  const key = 'the-key-of-the-default-tenant-1'
  const env = { ...home.env, COLOPHON_BOOTSTRAP_KEY: key }
  const before = await startServerProcess({ home, env })
  const secret = plainSecretValue()
  const other = await before.tenant('other')
  for (const call of [before.call, other.call]) {
    await call('PUT', `${host}/secrets/crm`, { value: secret })
    for (let i = 0; i < 30; i++)
      await call('POST', `${host}/memory/notes/entries`, { content: `Note ${i}, \u2028 ü.`, tags: ['n'] })
    await call('POST', '/v1/tenant/service-writers', { service_key: 'chat' })
    const { body } = await call('POST', '/v1/memories/add', addBody('ada', 'She likes dark colours.'))
    await memoriesOf(call).done(body.job_id)
  }
  const list = async (call: typeof before.call) => (await call('GET', `${host}/memory/notes/entries?limit=50`)).body
  const was = [await list(before.call), await list(other.call)]

  const refused = await runCli(['copy', '--to', to], { env: home.env })
  assert.equal(refused.code, 6, 'a server holds the folder')
  await before.stop()
  const copied = await runCli(['copy', '--to', to, '--json'], { env: home.env })
  assert.equal(copied.code, 0, copied.stderr)
  const { tables, tenants } = JSON.parse(copied.stdout)
  assert.deepEqual(
    tenants.map(({ tenantId }: { tenantId: string }) => tenantId),
    ['default', 'other'],
  )
  assert.ok(tables.entry_version >= 62)
  const db = new Database(join(home.dataDir, 'colophon.db'), { readonly: true })
  for (const [table, count] of Object.entries(tables)) {
    assert.equal(db.prepare(`select count(*) from "${table}"`).pluck().get(), count, table)
    const [row] = await run(to, `select count(*)::int as count from "${table}"`)
    assert.equal(row?.count, count, table)
  }
  db.close()
  const again = await runCli(['copy', '--to', to], { env: home.env })
  assert.equal(again.code, 4, again.stderr)
  assert.match(again.stderr, /already_exists.*not empty/)

  // The vault key moves as a file.
  const server = await startServerProcess({
    home: await withVaultKey(target, home.dataDir),
    storage: 'postgres',
    env: { COLOPHON_BOOTSTRAP_KEY: key },
  })
  try {
    const calls = [server.as(key), server.as(other.key)]
    assert.deepEqual(await Promise.all(calls.map(list)), was)
    for (const call of calls) {
      const written = await call('POST', `${host}/memory/notes/entries`, { content: `The password is ${secret}.` })
      assert.equal(written.body.content, 'The password is [REDACTED:crm].')
      const found = await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'colours' })
      assert.equal(found.body.data.length, 1)
      assert.equal((await call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
    }
  } finally {
    await server[Symbol.asyncDispose]()
  }
})

async function withVaultKey<T extends { readonly dataDir: string }>(target: T, from: string): Promise<T> {
  const { mkdirSync } = await import('node:fs')
  mkdirSync(target.dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(join(from, 'vault.key'), join(target.dataDir, 'vault.key'))
  return target
}

test('a database with a broken audit is copied but not called verified, and a wrong call says so', async () => {
  await using home = await createHome('sqlite')
  const put = await runCli(['put', 'notes', 'One.'], { env: home.env })
  assert.equal(put.code, 0, put.stderr)
  const db = new Database(join(home.dataDir, 'colophon.db'))
  db.exec("update entry_version set content = 'Two.'")
  db.close()
  const database = await createEmptyDatabase()
  const { code, stderr } = await runCli(['copy', '--to', database.url], { env: home.env })
  assert.equal(code, 4, stderr)
  assert.match(stderr, /storage_corrupt.*changed at position/)
  await database.drop()
  assert.equal((await runCli(['copy'], { env: home.env })).code, 2)
  assert.equal((await runCli(['copy', '--to', 'mysql://x'], { env: home.env })).code, 4)
})
