import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { useServer } from '../support/server.ts'

const server = useServer()
const entries = '/v1/host/colophon/memory/notes/entries'

/** Sets the hash to which the next audit record of the tenant `default` links, and returns the former one. */
function setLastHash(hash: string): string {
  using database = openDatabase()
  const before = database.db.prepare("select last_hash from tenant_clock where tenant_id = 'default'").pluck().get()
  database.db.prepare("update tenant_clock set last_hash = ? where tenant_id = 'default'").run(hash)
  return String(before)
}

function openDatabase() {
  const db = new Database(join(server.dataDir, 'colophon.db'))
  return { db, [Symbol.dispose]: () => void db.close() }
}

test('a broken invariant fails its request with internal_error, stores nothing, and the server continues', async () => {
  const other = await server.tenant()
  await server.call('POST', entries, { content: 'Ada drinks tea.' })
  const hash = setLastHash('not a hash')
  const answers = await Promise.all([
    server.call('POST', entries, { content: 'Ada drinks coffee.' }),
    other.call('POST', entries, { content: 'Bo drinks water.' }),
    server.call('POST', entries, { content: 'Ada drinks milk.' }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [500, 201, 500],
  )
  assert.match(answers[0]?.text ?? '', /internal_error/)
  assert.doesNotMatch(answers[0]?.text ?? '', /audit record links|InvariantBroken/)
  assert.match(server.logs(), /"error":"InvariantBroken"/)

  setLastHash(hash)
  const listed = (await server.call('GET', entries)).body.entries
  assert.deepEqual(
    listed.map(({ content }: { content: string }) => content),
    ['Ada drinks tea.'],
  )
  assert.equal((await server.call('POST', entries, { content: 'Ada drinks juice.' })).status, 201)
  assert.equal((await server.call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
})
