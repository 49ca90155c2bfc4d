import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import pg from 'pg'
import { eventually } from '../support/child.ts'
import { runCli } from '../support/cli.ts'
import { releaseServer } from '../support/databases.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { createHome, type Env, startServer } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const entries = '/v1/host/colophon/memory/notes/entries'

/** Every row of every table, as text: what "equal" means. */
function dump(file: string): Record<string, string[]> {
  const db = new Database(file, { readonly: true })
  try {
    // A full-text table is not read row by row; what it holds is in tables beside it.
    const named = "select name from sqlite_master where type = 'table' and sql not like 'create virtual%' order by name"
    const tables = db.prepare(named).pluck().all()
    return Object.fromEntries(
      (tables as string[]).map((name) => {
        const rows = db.prepare(`select * from "${name}"`).all()
        return [name, rows.map((row) => JSON.stringify(row)).sort()]
      }),
    )
  } finally {
    db.close()
  }
}

async function put(server: ServerProcess, content: string): Promise<void> {
  const answer = await server.call('POST', entries, { content, tags: ['kept'] })
  assert.equal(answer.status, 201, answer.text)
}

function envOf(dataDir: string): Env {
  return { COLOPHON_DATA_DIR: dataDir }
}

/** A backup of a server that has something of everything, and the folder it lies in. */
async function madeBackup() {
  const folder = createFolder()
  const home = await createHome('sqlite')
  const server = await startServerProcess({ home })
  for (let number = 0; number < 20; number++) await put(server, `The tea of day ${number} was green.`)
  await server.call('PUT', '/v1/host/colophon/secrets/crm', { value: plainSecretValue() })
  const file = folder.file('backup.db')
  const { code, stdout, stderr } = await runCli(['backup', file, '--json'], { env: home.env })
  assert.equal(code, 0, stderr)
  return {
    folder,
    home,
    server,
    file,
    made: JSON.parse(stdout),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      folder.remove()
    },
  }
}

test('a backup of a running server, restored elsewhere, is equal row by row and serves the same', async () => {
  await using made = await madeBackup()
  const { folder, home, server, file } = made
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder.path), ['backup.db'], 'one file and nothing beside it')
  await server.stop()
  const dataDir = folder.file('restored')
  mkdirSync(dataDir)
  copyFileSync(join(home.dataDir, 'vault.key'), join(dataDir, 'vault.key'))
  const env = envOf(dataDir)
  const restored = await runCli(['restore', file, '--sha256', made.made.sha256], { env })
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /default at position \d+/)
  const [kept, back] = [dump(join(home.dataDir, 'colophon.db')), dump(join(dataDir, 'colophon.db'))]
  // The live server may have noted the use of a key or a lease since.
  assert.deepEqual(Object.keys(back), Object.keys(kept))
  for (const table of ['entry_version', 'entry_tag', 'audit', 'admin_record', 'tenant', 'tenant_clock'])
    assert.deepEqual(back[table], kept[table], table)
  assert.ok((back.entry_version?.length ?? 0) >= 20)
  const again = { dataDir, env, [Symbol.asyncDispose]: async () => {} }
  await using second = await startServerProcess({ home: again, env: { COLOPHON_BOOTSTRAP_KEY: server.key } })
  const { body } = await second.call('GET', `${entries}?limit=100`)
  assert.equal(body.entries.length, 20)
  assert.equal((await second.call('GET', '/v1/audit/verify')).body.chainValid, true)
})

test('backups taken while writes go on hold one moment each, and everything acknowledged before they began', async () => {
  await using home = await createHome('sqlite')
  await using server = await startServerProcess({ home })
  const folder = createFolder()
  let written = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      await put(server, `Line ${written}.`)
      written += 1
    }
  })()
  try {
    for (const name of ['one.db', 'two.db']) {
      const before = written
      const { code, stderr } = await runCli(['backup', folder.file(name)], { env: home.env })
      assert.equal(code, 0, stderr)
      const { code: restoredCode, stderr: problem } = await runCli(
        ['restore', folder.file(name), '--without-vault-key'],
        { env: envOf(folder.file(`${name}-restored`)) },
      )
      assert.equal(restoredCode, 0, problem)
      const rows = dump(join(folder.file(`${name}-restored`), 'colophon.db'))
      assert.ok((rows.entry_version?.length ?? 0) >= before)
    }
  } finally {
    isOver = true
    await writing
    folder.remove()
  }
})

/** Changes the file; each of these must be noticed. */
const damages: Record<string, (file: string) => void> = {
  'a page of it is overwritten': (file) => {
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 4096 * 2, 4096 * 3)
    writeFileSync(file, bytes)
  },
  'it is cut off': (file) => writeFileSync(file, readFileSync(file).subarray(0, 4096 * 3)),
  'it is something else': (file) => writeFileSync(file, 'not a database at all, but long enough to look at'),
  'it is another database': (file) => {
    writeFileSync(file, '')
    new Database(file).exec('create table other (a)').close()
  },
  'a content was changed': (file) =>
    new Database(file)
      .exec("update entry_version set content = 'Coffee.' where rowid = (select min(rowid) from entry_version)")
      .close(),
  'a record of the audit was removed': (file) =>
    new Database(file).exec('delete from audit where position = 4').close(),
  'a newer program made it': (file) =>
    new Database(file).exec("insert into schema_migration values (9999, '9999-future', 'x', 0)").close(),
}

test('a damaged backup is refused, and leaves nothing that could be started', async (t) => {
  await using made = await madeBackup()
  for (const [name, damage] of Object.entries(damages)) {
    await t.test(name, async () => {
      const file = made.folder.file('damaged.db')
      copyFileSync(made.file, file)
      damage(file)
      const dataDir = made.folder.file(`into ${name}`)
      const { code, stderr } = await runCli(['restore', file, '--without-vault-key'], { env: envOf(dataDir) })
      assert.ok(code === 4 || code === 6, `${code}: ${stderr}`)
      assert.match(stderr, /^colophon: (?:storage_corrupt|schema_newer): /)
      assert.deepEqual(
        readdirSync(dataDir).filter((entry) => entry.includes('.db')),
        [],
      )
    })
  }
  await t.test('it is not the file with that digest', async () => {
    const env = envOf(made.folder.file('other'))
    const { code, stderr } = await runCli(['restore', made.file, '--sha256', '0'.repeat(64)], { env })
    assert.equal(code, 4, stderr)
  })
})

test('secrets without their key are refused, unless one says so', async () => {
  await using made = await madeBackup()
  const env = envOf(made.folder.file('restored'))
  const refused = await runCli(['restore', made.file], { env })
  assert.equal(refused.code, 6, refused.stderr)
  assert.match(refused.stderr, /vault_unavailable/)
  const { code, stdout, stderr } = await runCli(['restore', made.file, '--without-vault-key'], { env })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /default CANNOT WRITE/)
})

test('nothing is overwritten: neither a database by a restore nor a file by a backup', async () => {
  await using made = await madeBackup()
  assert.match((await runCli(['backup', made.file], { env: made.home.env })).stderr, /already_exists/)
  const held = await runCli(['restore', made.file], { env: made.home.env })
  assert.equal(held.code, 6, held.stderr)
  await made.server.stop()
  assert.match((await runCli(['restore', made.file], { env: made.home.env })).stderr, /already_exists/)
})

test('on PostgreSQL, restore without a file verifies the restored database and ends the sessions of browsers', async () => {
  await using home = await createHome('postgres')
  {
    await using server = await startServer({ storage: 'postgres', home })
    assert.equal((await server.call('POST', entries, { content: 'Ada prefers tea.' })).status, 201)
    assert.equal((await server.call('POST', '/v1/host/colophon/session')).status, 201)
  }
  const client = new pg.Client(home.env.COLOPHON_DATABASE_URL)
  await client.connect()
  try {
    const sessions = async () => {
      const { rows } = await client.query("select count(*)::int as count from admin_record where kind = 'session'")
      return rows[0].count
    }
    assert.equal(await sessions(), 1)
    const { code, stdout, stderr } = await runCli(['restore'], { env: home.env })
    assert.equal(code, 0, stderr)
    assert.match(stdout, /the database: 1 tenants, every record and content verified\n {2}default at position/)
    assert.equal(await sessions(), 0)
    await client.query("update entry_version set content = 'Ada prefers gin.'")
    const tampered = await runCli(['restore'], { env: home.env })
    assert.match(tampered.stderr, /storage_corrupt/)
  } finally {
    await client.end()
  }
})

test('behind a pooler, restore sets up no session: each transaction brings its limits along', async () => {
  await using home = await createHome('postgres')
  {
    await using server = await startServer({ storage: 'postgres', home })
    assert.equal((await server.call('POST', '/v1/host/colophon/session')).status, 201)
  }
  const client = new pg.Client(home.env.COLOPHON_DATABASE_URL)
  await client.connect()
  try {
    await client.query(
      `create table noted (source text);
       grant insert on noted to public;
       create function note() returns trigger language plpgsql as $$
       begin
         insert into noted select source from pg_settings where name = 'lock_timeout';
         return new;
       end $$;
       begin;
       lock table audit in share row exclusive mode`,
    )
    const restoring = runCli(['restore'], { env: { ...home.env, COLOPHON_DATABASE_POOLER: 'transaction' } })
    const waiting = `select from pg_locks where relation = 'audit'::regclass and not granted`
    await eventually('the restore waits to write', async () => (await client.query(waiting)).rowCount === 1)
    // Not before: the verification would name a trigger that no migration makes.
    await client.query('create trigger note before insert on audit for each row execute function note(); commit')
    const { code, stderr } = await restoring
    assert.equal(code, 0, stderr)
    // `client`: sent with the start of the session, which a pooler refuses or gives to others.
    assert.deepEqual((await client.query('select distinct source from noted')).rows, [{ source: 'session' }])
    const tampered = await runCli(['restore'], { env: home.env })
    assert.deepEqual([tampered.code, /\(trigger audit\.note unrecorded/.test(tampered.stderr)], [4, true])
  } finally {
    await client.end()
  }
})

test('where the data is not in a folder, the way out is named', async () => {
  const folder = createFolder()
  const file = folder.file('backup.db')
  const postgres = { COLOPHON_DATABASE_URL: 'postgres://somebody:password@db.invalid/colophon' }
  const dumped = await runCli(['backup', file], { env: postgres })
  assert.equal(dumped.code, 2)
  assert.match(dumped.stderr, /pg_dump --format=custom --no-owner/)
  assert.doesNotMatch(dumped.stderr, /password/)
  assert.match(
    (await runCli(['restore', file], { env: postgres })).stderr,
    /pg_restore .*--single-transaction.*\n {2}colophon restore/,
  )
  assert.equal((await runCli(['backup', file], { env: { COLOPHON_STORAGE: 'memory' } })).code, 2)
  assert.match((await runCli(['--url', 'http://127.0.0.1:1', 'backup', file])).stderr, /without --url/)
  assert.equal(existsSync(file), false)
  folder.remove()
})
