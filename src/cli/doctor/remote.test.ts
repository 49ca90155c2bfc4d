import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../client/index.ts'
import { examineServer } from './remote.ts'

test('the database check reports a server that is not ready, and one that is overloaded', async () => {
  const url = 'http://127.0.0.1:1'
  const databaseCheck = async (ready: Response) => {
    const fake = async (called: string) => (called.endsWith('/readyz') ? ready : Response.json({}))
    const client = createClient({ url, fetch: fake as typeof fetch, retry: { retries: 0 } })
    const checks = await examineServer(client, url, { hasKey: false, now: Date.now })
    return checks.find(({ name }) => name === 'database')
  }
  const notReady = Response.json({ status: 'unavailable' }, { status: 503 })
  assert.equal((await databaseCheck(notReady))?.message, '503: the server is not ready')
  const busy = Response.json({ error: 'overloaded', message: 'Busy.' }, { status: 503 })
  assert.equal((await databaseCheck(busy))?.message, 'overloaded: Busy.')
  assert.equal((await databaseCheck(Response.json({ status: 'ready' })))?.status, 'ok')
})
