import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { migrateSqlite } from '../../src/adapters/sqlite/migrate.ts'
import { openColophon } from '../../src/open.ts'
import { registerBeforeRelease, wayOutOfTooOld } from '../support/before-release.ts'
import { type CliResult, runCli } from '../support/cli.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'
import { createHome, type Env } from '../support/server.ts'
import { createFolder, type TestFolder } from '../support/temporary-folder.ts'

after(releaseServer)

function checkRefused({ code, stderr }: CliResult): void {
  assert.equal(code, 6, stderr)
  assert.match(stderr, /^colophon: schema_too_old: /)
  assert.match(stderr, wayOutOfTooOld)
}

async function checkDoctor(env: Env): Promise<void> {
  const { code, stdout } = await runCli(['doctor', '--json'], { env })
  assert.equal(code, 6, stdout)
  const { checks } = JSON.parse(stdout) as { checks: { name: string; message: string; todo?: string }[] }
  const check = checks.find(({ name }) => name === 'database')
  assert.match(check?.message ?? '', /^schema_too_old: /)
  assert.match(check?.todo ?? '', wayOutOfTooOld)
}

/** A data folder as a program from before 0.1.0 left it. */
function createTooOld(folder: TestFolder): { readonly env: Env; readonly file: string } {
  const dataDir = folder.file('data')
  mkdirSync(dataDir, { mode: 0o700 })
  const file = join(dataDir, 'colophon.db')
  const db = new Database(file)
  migrateSqlite(db, 1)
  db.exec(registerBeforeRelease)
  db.close()
  return { env: { COLOPHON_DATA_DIR: dataDir }, file }
}

describe('a SQLite database from before 0.1.0 is refused with the way out, and stays as it is', () => {
  const folder = createFolder()
  after(() => folder.remove())
  const { env, file } = createTooOld(folder)
  const before = readFileSync(file)
  afterEach(() => {
    assert.deepEqual(readFileSync(file), before)
    assert.ok(!existsSync(join(env.COLOPHON_DATA_DIR ?? '', 'vault.key')), 'no key is made beside it')
  })

  for (const command of ['serve', 'migrate'])
    test(`by ${command}`, async () => checkRefused(await runCli([command], { env })))

  test('by doctor', () => checkDoctor(env))

  test('by backup, which leaves no file', async () => {
    const copy = folder.file('backup.db')
    checkRefused(await runCli(['backup', copy], { env }))
    assert.ok(!existsSync(copy) && !existsSync(`${copy}.partial`))
  })

  test('by restore of its backup, which leaves no database', async () => {
    const backup = folder.file('old-backup.db')
    copyFileSync(file, backup)
    const dataDir = folder.file('restored')
    checkRefused(await runCli(['restore', backup], { env: { COLOPHON_DATA_DIR: dataDir } }))
    const left = readdirSync(dataDir).filter((name) => name.includes('.db'))
    assert.deepEqual(left, [])
  })

  test('by copy, which makes no table in PostgreSQL', async () => {
    const { url, drop } = await createEmptyDatabase()
    checkRefused(await runCli(['copy', '--to', url], { env }))
    assert.deepEqual(await run(url, `select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
    await drop()
  })
})

test('a PostgreSQL database from before 0.1.0 is refused with the way out', async () => {
  const { url, drop } = await createEmptyDatabase()
  await (await openColophon({ databaseUrl: url })).close()
  await run(url, registerBeforeRelease)
  await using home = await createHome('sqlite')
  const env = { ...home.env, COLOPHON_DATABASE_URL: url }
  checkRefused(await runCli(['migrate'], { env }))
  await checkDoctor(env)
  await runCli(['put', 'notes', 'One.'], { env: home.env })
  checkRefused(await runCli(['copy', '--to', url], { env: home.env }))
  await drop()
})
