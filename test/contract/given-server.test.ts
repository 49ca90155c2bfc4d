import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

/** Creates a database as every suite does, in a separate process that is given this server. */
function createElsewhere(given: string) {
  const program = `
    const { createDatabase } = await import(${JSON.stringify(new URL('../support/databases.ts', import.meta.url).href)})
    const database = await createDatabase()
    console.log(database.url)
    await database.drop()`
  const env = { ...process.env, COLOPHON_TEST_DATABASE_URL: given }
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], { env, encoding: 'utf8' })
}

test('the suites use the server that COLOPHON_TEST_DATABASE_URL names, and no other', async () => {
  const database = await createDatabase()
  const made = createElsewhere(database.url)
  assert.equal(made.status, 0, made.stderr)
  const [given, used] = [new URL(database.url), new URL(made.stdout.trim())]
  assert.equal(used.host, given.host)
  assert.equal(used.username, given.username)
  assert.match(used.pathname, /^\/colophon_test_/)
  assert.notEqual(used.pathname, given.pathname, 'each suite makes a database of its own')
  const unreachable = createElsewhere('postgres://nobody@127.0.0.1:1/none')
  assert.notEqual(unreachable.status, 0, 'a server that does not answer is not replaced by another')
  assert.match(unreachable.stderr, /ECONNREFUSED/)
  await database.drop()
})
