import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { host } from '../server/runs-calls.ts'
import { runCli } from '../support/cli.ts'
import { releaseServer, run } from '../support/databases.ts'
import { type Home, startServer } from '../support/server.ts'
import {
  type FixtureStorage,
  factsFile,
  factsOf,
  fixtureSecret,
  postgresFixture,
  restoreFixture,
  sqliteFixture,
} from './fixture-databases.ts'

after(releaseServer)

const notes = `${host}/memory/notes/entries`

/** Registers a step that no program of today knows, as a later version would. */
async function migrateToLater(storage: FixtureStorage, { dataDir, env }: Home): Promise<void> {
  const sql = `insert into schema_migration (number, name, checksum, applied_at) values (9999, '9999-later', 'x', 1)`
  if (storage === 'postgres') return void (await run(env.COLOPHON_DATABASE_URL ?? '', sql))
  const db = new Database(join(dataDir, 'colophon.db'))
  db.exec(sql)
  db.close()
}

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`a database of version 0.1.0 on ${storage}`, () => {
    const { things, canary, migrations } = factsOf(storage)

    test('is opened by this version: everything is read, verified and written', async () => {
      await using home = await restoreFixture(storage)
      await using server = await startServer({ storage, home, env: home.env })
      const { call } = server
      const read = async (path: string) => {
        const answer = await call('GET', path)
        assert.equal(answer.status, 200, `${path}: ${answer.text}`)
        return answer.body
      }
      const { entries } = await read(notes)
      const texts = entries.map(({ content }: { content: string }) => content)
      assert.deepEqual(texts, ['The word is [REDACTED:fixture].', 'Ada prefers green tea.'])
      assert.equal((await read(`${notes}/${things['notes/{id}']}?asOf=2`)).content, 'Ada prefers tea.')
      const { story } = await read(`${notes}/${things['notes/{id}']}/colophon`)
      assert.ok(story.length >= 2)
      const found = await call('POST', `${host}/memory/notes/search`, { query: 'green tea' })
      assert.equal(found.body.results[0].entry.id, things['notes/{id}'])
      for (const kind of ['compactions', 'distillations', 'claims', 'commitments', 'containments', 'jobs'])
        assert.equal((await read(`${host}/${kind}/${things[`${kind}/{id}`]}`)).id, things[`${kind}/{id}`], kind)
      const { status, receipt } = await read(`${host}/forget/${things['forget/{id}']}`)
      assert.deepEqual([status, typeof receipt], ['completed', 'object'])
      assert.equal((await read(`/v1/runs/${things['runs/{runId}']}`)).status, 'waiting-approval')
      const memory = await read(`/v1/memories/${things['memories/{id}']}`)
      assert.match(memory.content, new RegExp(canary))
      assert.equal(
        (await read(`/v1/host/workspace/files/${encodeURIComponent(things['files/{path}'] ?? '')}`)).content,
        canary,
      )
      assert.equal((await read('/v1/tenant/settings')).history_retention_days, 3_650)
      assert.equal((await read(`${host}/stats`)).quotas.entries.limit, 1_000_000)
      const made = await call('POST', notes, { content: `Again ${fixtureSecret}.` })
      assert.deepEqual([made.status, made.body.content], [201, 'Again [REDACTED:fixture].'])
      const { chainValid, anomalies } = await read('/v1/audit/verify?contents=true')
      assert.deepEqual([chainValid, anomalies], [true, []])
      const exported = await call('GET', `${host}/export`)
      assert.match(exported.text, /Ada prefers green tea\./)
    })

    test('with the schema of a later version is refused, and doctor says what to do', async () => {
      await using home = await restoreFixture(storage)
      await migrateToLater(storage, home)
      await assert.rejects(startServer({ storage, home, env: home.env }), {
        code: 'schema_newer',
        hint: /newer Colophon has migrated this database\. Run that version, or restore a backup/,
      })
      const { code, stdout } = await runCli(['doctor', '--json'], { env: home.env })
      const { checks } = JSON.parse(stdout) as { checks: { name: string; message: string; todo?: string }[] }
      const check = checks.find(({ name }) => name === 'database')
      assert.match(check?.message ?? '', /^schema_newer: /)
      assert.match(check?.todo ?? '', /restore a backup/)
      assert.notEqual(code, 0)
    })

    test('has steps of the schema that this version still has', () => assert.ok(migrations >= 12, String(migrations)))
  })
}

test('the fixtures are small', () => {
  const files = [sqliteFixture, postgresFixture, factsFile('sqlite'), factsFile('postgres')]
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  assert.ok(bytes < 300_000, `${bytes} bytes`)
})
