import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { runCli, startOtherServer } from '../support/cli.ts'
import { createEmptyDatabase, releaseServer } from '../support/databases.ts'
import { createHome, type Env } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

after(releaseServer)

type Report = { status: string; checks: { name: string; status: string; message: string; todo?: string }[] }

async function examine(env: Env, ...args: string[]) {
  const { code, stdout, stderr } = await runCli([...args, 'doctor', '--json'], { env })
  assert.equal(stderr, '')
  const report = JSON.parse(stdout) as Report
  const find = (name: string) => report.checks.find((check) => check.name === name)
  return { code, report, find }
}

/** Sizes, versions and places differ from machine to machine. */
function withoutPlaces(text: string, home: { dataDir: string }): string {
  return text
    .replaceAll(home.dataDir, 'DATA')
    .replaceAll(/\d+\.\d+ GiB/g, '… GiB')
    .replaceAll(/\d+\.\d+\.\d+/g, 'V')
}

test('the doctor of a set-up that is well, before and after its first use', async () => {
  await using home = await createHome('sqlite')
  const before = await runCli(['doctor'], { env: home.env })
  assert.deepEqual(withoutPlaces(before.stdout, home).split('\n'), [
    'ok    versions       colophon V, Node V',
    'ok    configuration  set: COLOPHON_DATA_DIR',
    'ok    data folder    DATA does not exist yet; the first start creates it',
    'ok    database       none yet; the first start creates it',
    'ok    model          none: the built-in rules extract memories',
    'ok    embeddings     none: search matches words only',
    '',
  ])
  assert.ok(!existsSync(home.dataDir), 'looking makes nothing')

  await runCli(['secrets', 'put', 'door'], { env: home.env, input: 'open sesame and all that' })
  const { code, stdout } = await runCli(['doctor'], { env: home.env })
  assert.deepEqual(withoutPlaces(stdout, home).split('\n'), [
    'ok    versions       colophon V, Node V',
    'ok    configuration  set: COLOPHON_DATA_DIR',
    'ok    data folder    DATA, readable by its owner only',
    'ok    disk           … GiB free',
    'ok    database       sqlite, schema is current',
    'ok    clock          agrees with the newest write',
    'ok    vault          vault.key in the data folder decrypts every secret',
    'ok    audit          the newest records of 1 tenants are intact',
    'ok    model          none: the built-in rules extract memories',
    'ok    embeddings     none: search matches words only',
    '',
  ])
  assert.equal(code, 0)
})

test('the doctor says what is wrong, and ends with the code for it', async () => {
  await using home = await createHome('sqlite')
  await runCli(['secrets', 'put', 'door'], { env: home.env, input: 'open sesame and all that' })

  const typo = await examine({ ...home.env, COLOPHON_PROT: '1' })
  assert.deepEqual([typo.code, typo.find('configuration')?.status], [2, 'fail'])
  assert.match(typo.find('configuration')?.message ?? '', /COLOPHON_PROT/)

  const key = Buffer.alloc(32, 7).toString('base64')
  const closed = await examine({ ...home.env, COLOPHON_VAULT_KEY: key })
  assert.deepEqual([closed.code, closed.find('vault')?.status], [4, 'fail'])
  assert.ok(!JSON.stringify(closed.report).includes(key), 'a key is never shown')

  const lax = { ...home.env, COLOPHON_HOST: '0.0.0.0', COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' }
  writeFileSync(join(home.dataDir, 'vault.key.before'), 'put aside', { mode: 0o640 })
  for (const name of ['vault.key', 'signing.key']) chmodSync(join(home.dataDir, name), 0o644)
  const warned = await examine(lax)
  assert.deepEqual([warned.code, warned.report.status], [0, 'warn'])
  for (const name of ['data folder', 'network', 'webhooks']) assert.equal(warned.find(name)?.status, 'warn', name)
  assert.match(
    warned.find('data folder')?.todo ?? '',
    /chmod go= \S+\/signing\.key \S+\/vault\.key \S+\/vault\.key\.before$/,
  )

  const db = new Database(join(home.dataDir, 'colophon.db'))
  const last = db.prepare('select max(number) from schema_migration').pluck().get()
  db.prepare("update audit set body = replace(body, 'secret', 'sacred')").run()
  const broken = await examine(home.env)
  assert.deepEqual([broken.code, broken.find('audit')?.status], [4, 'fail'])
  const byDue = db.prepare("select sql from sqlite_schema where name = 'job_by_due'").pluck().get() as string
  db.exec('drop index job_by_due; alter table entry_version rename column salt to pepper')
  const incomplete = await examine(home.env)
  assert.deepEqual([incomplete.code, incomplete.find('database')?.status], [6, 'fail'])
  assert.match(
    incomplete.find('database')?.message ?? '',
    /index job_by_due is missing, .*column entry_version\.salt is missing/,
  )
  db.exec(`${byDue}; alter table entry_version rename column pepper to salt`)
  db.prepare('delete from schema_migration where number = ?').run(last)
  const behind = await examine(home.env)
  assert.deepEqual([behind.code, behind.find('database')?.status], [0, 'warn'])
  assert.match(behind.find('database')?.todo ?? '', /colophon migrate/)
  db.prepare('insert into schema_migration values (999, ?, ?, 0)').run('later', 'x')
  db.close()
  const newer = await examine(home.env)
  assert.deepEqual([newer.code, newer.find('database')?.status], [6, 'fail'])
  assert.match(newer.find('database')?.message ?? '', /schema_newer/)

  const nobody = await examine({ COLOPHON_DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  assert.deepEqual([nobody.code, nobody.find('database')?.status], [6, 'fail'])
})

test('the doctor asks a server what a key may know', async () => {
  await using server = await startServerProcess()
  const beside = await examine({ COLOPHON_DATA_DIR: server.dataDir })
  assert.match(beside.find('server')?.message ?? '', new RegExp(`--url ${server.url}`))
  assert.equal(beside.code, 0, 'a running server does not mind')

  const well = await examine({}, '--url', server.url, '--key', server.key)
  assert.equal(well.code, 0)
  assert.deepEqual(
    well.report.checks.map(({ name, status }) => `${status} ${name}`),
    ['versions', 'server', 'database', 'key', 'clock', 'vault', 'jobs', 'embeddings', 'audit'].map(
      (name) => `ok ${name}`,
    ),
  )
  const stranger = await examine({}, '--url', server.url, '--key', 'x'.repeat(24))
  assert.deepEqual([stranger.code, stranger.find('key')?.status], [5, 'fail'])
  const gone = await examine({}, '--url', 'http://127.0.0.1:1', '--key', server.key)
  assert.deepEqual([gone.code, gone.find('server')?.status], [6, 'fail'])
  await using other = await startOtherServer(200, '<html>hello</html>')
  assert.equal((await examine({}, '--url', other.url, '--key', server.key)).code, 6)
})

test('without a key, the doctor checks the public endpoints and says how to get a key', async () => {
  await using server = await startServerProcess()
  const { code, report, find } = await examine({}, '--url', server.url)
  assert.deepEqual(
    report.checks.map(({ name, status }) => `${status} ${name}`),
    ['ok versions', 'ok server', 'ok database', 'fail configuration'],
  )
  assert.match(find('configuration')?.todo ?? '', /--key.*COLOPHON_API_KEY.*keys create/)
  assert.equal(code, 2)
})

test('the doctor asks the servers of the model and of the embedder, and sends them no text', async () => {
  await using home = await createHome('sqlite')
  const settings = (url: string) => ({
    ...home.env,
    COLOPHON_LLM_URL: `${url}/v1`,
    COLOPHON_LLM_MODEL: 'small',
    COLOPHON_EMBEDDINGS: `${url}/v1/`,
    COLOPHON_EMBEDDINGS_MODEL: 'tiny',
  })
  const seen = async (status: number, body: string) => {
    await using other = await startOtherServer(status, body)
    const { code, find } = await examine(settings(other.url))
    assert.equal(code, 0, 'it works without them')
    return ['model', 'embeddings'].map(
      (name) => `${find(name)?.status} ${find(name)?.message.replace(other.url, 'URL')}`,
    )
  }
  const models = JSON.stringify({ data: [{ id: 'small' }] })
  assert.deepEqual(await seen(200, models), ['ok small at URL/v1', 'warn URL/v1/ does not list tiny'])
  assert.deepEqual(await seen(404, 'no'), ['ok small at URL/v1', 'ok tiny at URL/v1/'])
  assert.deepEqual(await seen(401, '{}'), ['warn URL/v1 refuses the key', 'warn URL/v1/ refuses the key'])
  const gone = await examine(settings('http://127.0.0.1:1'))
  assert.match(gone.find('model')?.message ?? '', /cannot be reached/)
  assert.match(gone.find('embeddings')?.todo ?? '', /COLOPHON_EMBEDDINGS/)
  for (const embeddings of ['local', 'local-minilm']) {
    const local = await examine({ ...home.env, COLOPHON_EMBEDDINGS: embeddings })
    assert.deepEqual([local.find('embeddings')?.status, local.code], ['ok', 0])
  }
})

test('the doctor of a PostgreSQL', async () => {
  await using home = await createHome('postgres', createEmptyDatabase)
  const empty = await examine(home.env)
  assert.match(empty.find('database')?.message ?? '', /\d+ migrations? (?:is|are) missing/)
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 })
  await runCli(['put', 'notes', 'x'], { env: home.env })
  const { code, find } = await examine(home.env)
  assert.deepEqual(
    [code, find('database')?.message, find('audit')?.status],
    [0, 'postgres, schema is current, row-level security is off', 'ok'],
  )
})
