import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { type Cli, runCli } from '../support/cli.ts'
import { createDatabase, createEmptyDatabase, releaseServer } from '../support/databases.ts'
import { plainSecretValue, storedBytes } from '../support/secret-forms.ts'
import { createHome, type Home, randomKey, storagesOfBehaviour } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { isThorough } from '../support/thorough.ts'

after(releaseServer)

/** Every command with --json, which must print one document. */
function jsonOf(cli: Cli) {
  return async (args: string[], input?: string) => {
    const { code, stdout, stderr } = await cli([...args, '--json'], input)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
}

async function manageKeys(json: ReturnType<typeof jsonOf>): Promise<void> {
  const made = await json(['keys', 'create', 'reader', '--scope', 'memory:read', 'audit:read'])
  assert.deepEqual(made.scopes, ['memory:read', 'audit:read'])
  assert.match(made.key, /^ck_/)
  const next = await json(['keys', 'rotate', made.id, '--overlap-ms', '60000'])
  assert.notEqual(next.key, made.key)
  assert.equal((await json(['keys', 'revoke', next.id])).status, 'revoked')
  const { keys } = await json(['keys', 'list'])
  const shown = keys.filter(({ name }: { name: string }) => name === 'reader')
  assert.deepEqual(shown.map(({ status }: { status: string }) => status).sort(), ['active', 'revoked'])
  assert.ok(!JSON.stringify(keys).includes(made.key.split('.')[2]))
}

async function manageSecrets(json: ReturnType<typeof jsonOf>): Promise<string> {
  const value = plainSecretValue()
  await json(['secrets', 'put', 'crm'], `${value}\n`)
  assert.equal((await json(['put', 'notes', `the key is ${value}`])).content, 'the key is [REDACTED:crm]')
  const listed = await json(['secrets', 'list'])
  assert.deepEqual(
    listed.secrets.map(({ id }: { id: string }) => id),
    ['crm'],
  )
  assert.ok(!JSON.stringify(listed).includes(value))
  assert.deepEqual(await json(['secrets', 'remove', 'crm']), { deleted: true })
  return value
}

async function manageTenants(json: ReturnType<typeof jsonOf>): Promise<void> {
  assert.match((await json(['tenants', 'create', 'acme'])).key.key, /^ck_.*\.acme\./)
  assert.equal((await json(['tenants', 'disable', 'acme'])).status, 'disabled')
  assert.equal((await json(['tenants', 'enable', 'acme'])).status, 'active')
  const { tenants } = await json(['tenants', 'list'])
  assert.ok(tenants.some(({ id }: { id: string }) => id === 'acme'))
}

/** A head from a file, and a verdict also when it is a bad one. */
async function checkTampered(home: Home, head: { position: number; hash: string }): Promise<void> {
  const file = join(home.dataDir, 'head.json')
  writeFileSync(file, JSON.stringify(head))
  const verify = (...args: string[]) => runCli(['audit', 'verify', ...args], { env: home.env })
  assert.match((await verify('--head', file)).stdout, /^intact: /)
  new Database(join(home.dataDir, 'colophon.db')).exec("delete from entry_version where memory_ref = 'notes'").close()
  const { code, stdout } = await verify('--contents', '--head', `${head.position}:${head.hash}`, '--json')
  const verdict = JSON.parse(stdout)
  const [{ problem, what }] = verdict.anomalies
  assert.deepEqual([code, verdict.chainValid, problem, what], [4, false, 'gone', 'version'])
}

describe('keys, secrets, tenants and the audit are managed', { concurrency: 2 }, () => {
  test('in the data folder itself', async () => {
    await using home = await createHome('sqlite')
    const json = jsonOf((args, input) => runCli(args, { env: home.env, ...(input === undefined ? {} : { input }) }))
    if (isThorough) await manageKeys(json)
    const value = await manageSecrets(json)
    if (isThorough) await manageTenants(json)
    const audit = await json(['audit', 'verify', '--contents'])
    assert.deepEqual([audit.chainValid, audit.anomalies], [true, []])
    assert.equal((await json(['tenants', 'disable', 'default'])).status, 'disabled')
    const refused = await runCli(['audit', 'verify'], { env: home.env })
    assert.deepEqual(
      [refused.code, refused.stderr.trim()],
      [5, 'colophon: The tenant default is disabled. To enable it: colophon tenants enable default'],
    )
    assert.equal((await json(['tenants', 'enable', 'default'])).status, 'active')
    await checkTampered(home, audit.contents.head)
    assert.ok(!(await storedBytes(home)).includes(value))
  })

  test('through a server', async () => {
    await using server = await startServerProcess()
    const cli =
      (key: string): Cli =>
      (args, input) =>
        runCli(args, {
          env: { COLOPHON_URL: server.url, COLOPHON_API_KEY: key },
          ...(input === undefined ? {} : { input }),
        })
    await manageKeys(jsonOf(cli(server.key)))
    await manageSecrets(jsonOf(cli(server.key)))
    await manageTenants(jsonOf(cli(server.operatorKey)))
    assert.equal((await jsonOf(cli(server.key))(['audit', 'verify'])).chainValid, true)
  })
})

describe('configuration and migrations', { concurrency: 2 }, () => {
  test('config show prints every variable in force, with secrets masked', async () => {
    const secrets = {
      COLOPHON_BOOTSTRAP_KEY: randomKey(),
      COLOPHON_OPERATOR_KEY: randomKey(),
      COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
      COLOPHON_DATABASE_URL: 'postgres://ada:correct-horse@db.example.com/memory',
    }
    const env = { ...secrets, COLOPHON_PORT: '4711', COLOPHON_LOG_LEVEL: 'warn' }
    const text = await runCli(['config', 'show'], { env })
    const json = await runCli(['config', 'show', '--json'], { env })
    assert.deepEqual([text.code, json.code], [0, 0], text.stderr)
    const shown = JSON.parse(json.stdout)
    assert.deepEqual(
      [shown.COLOPHON_PORT, shown.COLOPHON_LOG_LEVEL, shown.COLOPHON_STORAGE],
      [4711, 'warn', 'postgres'],
    )
    for (const output of [text.stdout, json.stdout]) {
      for (const secret of [...Object.values(secrets), 'correct-horse']) assert.ok(!output.includes(secret), output)
      for (const name of Object.keys(env)) assert.ok(output.includes(name), name)
    }
    const wrong = await runCli(['config', 'show'], { env: { COLOPHON_PORTS: '1' } })
    assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
    assert.match(wrong.stderr, /COLOPHON_PORTS/)
  })

  for (const storage of storagesOfBehaviour) {
    test(`migrate brings a new database on ${storage} up to date, and does nothing to one that is`, async () => {
      await using home = await createHome(storage, createEmptyDatabase)
      for (const args of [['migrate'], ['migrate', '--json']]) {
        const { code, stdout, stderr } = await runCli(args, { env: home.env })
        assert.equal(code, 0, stderr)
        if (args.includes('--json')) assert.ok(JSON.parse(stdout), 'one JSON document')
      }
      await assertServes(home)
    })
  }

  test('migrate --status shows what is pending and changes nothing; --distribute needs a PostgreSQL with the extension', async () => {
    await using home = await createHome('sqlite')
    const status = async () => JSON.parse((await runCli(['migrate', '--status', '--json'], { env: home.env })).stdout)
    const fresh = await status()
    assert.ok(fresh.pending > 10)
    assert.deepEqual(await status(), fresh)
    assert.equal((await runCli(['migrate', '--distribute'], { env: home.env })).code, 2)
    await runCli(['migrate'], { env: home.env })
    assert.deepEqual(await status(), { pending: 0, distributed: [], onCoordinator: [] })
    const database = await createDatabase()
    const env = { COLOPHON_DATABASE_URL: database.url }
    const refused = await runCli(['migrate', '--distribute'], { env })
    assert.deepEqual([refused.code, refused.stdout], [6, ''])
    assert.match(refused.stderr, /extension citus/)
    assert.match(
      (await runCli(['migrate', '--status'], { env })).stdout,
      /^0 migrations are pending\nno table is distributed/,
    )
    await database.drop()
  })
})

async function assertServes(home: Home): Promise<void> {
  await using server: ServerProcess = await startServerProcess({ home })
  assert.equal((await server.call('GET', '/readyz')).status, 200)
}
