import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { startCommitCutter } from '../support/commit-cutter.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

test('the proxy of the fault tests cuts commits, whatever their outcome, and nothing else', async () => {
  const database = await createDatabase()
  const cutter = await startCommitCutter(database.url)
  const connected = async () => {
    const client = new pg.Client({ connectionString: cutter.url })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  try {
    const client = await connected()
    cutter.cutNext('after commit')
    // Workers ask for jobs of this kind. Cut there, the transaction would wait with its locks, because no commit follows without an answer.
    const { rows } = await client.query('select $1 as kind', ['colophon.fire-commitment'])
    assert.deepEqual(rows, [{ kind: 'colophon.fire-commitment' }])
    assert.equal(cutter.cuts, 0)

    await client.query('begin')
    await assert.rejects(client.query('no sql'))
    // The answer to this is a rollback.
    await assert.rejects(client.query('commit'), /terminated/)
    assert.equal(cutter.cuts, 1)

    const other = await connected()
    cutter.cutNext('before commit')
    await other.query('begin')
    await assert.rejects(other.query('commit'), /terminated/)
    assert.equal(cutter.cuts, 2)
  } finally {
    await cutter.close()
    await database.drop()
  }
})
