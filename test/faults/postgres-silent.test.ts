import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { rejectsWith } from '../contract/suite/assert-code.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

/** A proxy whose connections stay open while nothing comes back, as when the machine of the database is gone or frozen. */
async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const state = { isSilent: false }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => state.isSilent || client.write(chunk))
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket.on('error', () => {}).on('close', () => other.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.port = String(address !== null && typeof address === 'object' ? address.port : 0)
  return { state, url: url.href, close: () => new Promise((resolve) => server.close(resolve)) }
}

test('statements that are never answered fail as unavailable, the next ones use new connections, and the store can be closed', {
  timeout: 30_000,
}, async () => {
  const database = await createDatabase()
  const proxy = await startProxy(database.url)
  const storage = await openPostgres({ url: proxy.url, now: Date.now, answerWaitMs: 1_500, commitWaitMs: 1_500 })
  try {
    const tenantId = 'acme'
    await storage.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, 1)
    const read = () => storage.runs.get(tenantId, 'run_1')
    const claim = () => storage.jobs.claim({ now: Date.now(), kinds: ['k'], limit: 1, change: (job) => job })
    // Both have a connection.
    assert.deepEqual(await Promise.all([read(), claim()]), [null, null])
    proxy.state.isSilent = true
    await Promise.all([rejectsWith('storage_unavailable', read()), rejectsWith('storage_unavailable', claim())])
    proxy.state.isSilent = false
    assert.deepEqual(await Promise.all([read(), claim()]), [null, null])

    proxy.state.isSilent = true
    const [reading, claiming] = [read(), claim()].map((call) => rejectsWith('storage_unavailable', call))
    // They are sent.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await storage.close()
    await Promise.all([reading, claiming])
  } finally {
    await storage.close()
    await proxy.close()
    await database.drop()
  }
})
