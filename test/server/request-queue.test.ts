import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { formatKey, hashKey } from '../../src/core/access/api-key.ts'
import { createRequestQueue, type RequestQueueRules } from '../../src/http/request-queue.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { composeEngine, openStorage } from '../../src/open.ts'
import { wires } from '../../src/wires/index.ts'
import { eventually } from '../support/child.ts'
import { openChanges } from '../support/sse.ts'

const entries = '/v1/host/colophon/memory/notes/entries'
const share = 2
/** A clock that stands still, so that a tenant stays active after one request. And no request loses its slot by taking long. */
const still = { share, now: () => 0, holdMs: 60_000 }

/** A server whose store answers the lists of the tenant `busy` only when the test says so. */
async function serveSlowly(rules: RequestQueueRules = still, elsewhere: ReadonlyMap<string, number> | null = null) {
  const storage = await openStorage({ inMemory: true }, Date.now)
  const held: (() => void)[] = []
  let isOver = false
  const began = { count: 0 }
  const exchanged: string[] = []
  const slow = {
    ...storage,
    ...(elsewhere === null ? {} : { traits: { ...storage.traits, sharedAcrossProcesses: true } }),
    shareTenantActivity: async (tenantIds: readonly string[]) => {
      exchanged.push(...tenantIds)
      return elsewhere ?? new Map<string, number>()
    },
    async list(query: Parameters<typeof storage.list>[0]) {
      if (query.tenantId === 'busy') {
        began.count += 1
        if (!isOver) await new Promise<void>((go) => held.push(go))
      }
      return storage.list(query)
    },
  }
  const { engine, close } = composeEngine(slow, nodeSystem(), 'test', null)
  const turns = createRequestQueue(rules)
  const app = await createHttpServer(engine, {
    staticKeys: ['busy', 'quiet'].map((tenantId) => ({
      tenantId,
      keyId: tenantId,
      hash: hashKey(`key-of-${tenantId}`),
    })),
    ...{
      operatorKey: null,
      rateLimitPerMin: 0,
      requestQueue: turns,
      version: '0',
      bodyLimitBytes: 100_000,
      corsOrigins: [],
      allowedHosts: [],
    },
    keyBytesPerHour: 0,
    streams: { perKey: 10, perTenant: 10 },
    ...{ logLevel: 'silent', slowMs: 0, wires, consoleFolder: '/nowhere' },
    facts: () => Promise.reject(new Error('not asked for')),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const as = (tenant: string, signal: AbortSignal | null = null, path = entries) =>
    fetch(`${url}${path}`, { headers: { authorization: `Bearer key-of-${tenant}` }, signal })
  const letGo = (count = held.length) => {
    for (const go of held.splice(0, count)) go()
  }
  const statusOf = async (asked: Promise<Response>) => (await asked).status
  return {
    url,
    turns,
    began,
    exchanged,
    as,
    statusOf,
    /** Requests of the busy tenant, one after the other. */
    async crowd(count: number, signal: AbortSignal | null = null): Promise<Promise<number>[]> {
      assert.equal(await statusOf(as('quiet')), 200)
      // Authenticated once, so that its key is cached.
      assert.equal(await statusOf(as('busy', null, '/v1/host/colophon/memory')), 200)
      const asked: Promise<number>[] = []
      while (asked.length < count) {
        asked.push(statusOf(as('busy', signal)).catch(() => 0))
        await eventually('it is begun or waits', async () => began.count + turns.waiting() === asked.length)
      }
      assert.equal(began.count, elsewhere === null ? share : 1)
      return asked
    },
    letGo,
    async [Symbol.asyncDispose]() {
      isOver = true
      letGo()
      const closing = app.close()
      app.server.closeAllConnections()
      await closing
      await close()
    },
  }
}

test('while another tenant sends requests, few of a busy tenant’s 64 requests start, and the other tenant does not wait for them', async () => {
  await using server = await serveSlowly()
  const { turns, began, as, statusOf, letGo } = server
  const asked = await server.crowd(64)
  for (let n = 0; n < 5; n++) assert.equal(await statusOf(as('quiet')), 200)
  assert.deepEqual([began.count, turns.waiting()], [share, 62])
  letGo()
  await eventually('the next begin', async () => began.count > share)
  assert.ok(began.count <= 2 * share)
  const letting = setInterval(letGo, 1)
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]))
  clearInterval(letting)
  assert.deepEqual([began.count, turns.waiting()], [64, 0])
})

test('the requests of a tenant that is alone all start at once', async () => {
  await using server = await serveSlowly()
  const asked = Array.from({ length: 64 }, () => server.statusOf(server.as('busy')))
  await eventually('all are begun', async () => server.began.count === 64)
  server.letGo()
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]))
})

test('clients that disconnect leave no slot taken and no request in the queue', async () => {
  await using server = await serveSlowly()
  const leaving = new AbortController()
  const asked = await server.crowd(8, leaving.signal)
  leaving.abort()
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([0]))
  await eventually('the line is empty', async () => {
    server.letGo()
    return server.turns.waiting() === 0 && server.began.count === 8
  })
  server.began.count = 0
  const again = await server.crowd(3)
  await eventually('all have begun', async () => {
    server.letGo()
    return server.began.count === 3
  })
  server.letGo()
  assert.deepEqual(await Promise.all(again), [200, 200, 200])
})

test('a request behind too many of its own tenant gets 503 overloaded; other tenants do not', async () => {
  await using server = await serveSlowly({ ...still, limits: { queueMax: 9, queuePerTenantMax: 3, waitMs: 60_000 } })
  await server.crowd(5)
  const refused = await server.as('busy')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  const { error, details } = (await refused.json()) as { error: string; details: { limit: string; max: number } }
  assert.deepEqual([error, details.limit, details.max], ['overloaded', 'requestQueuePerTenantMax', 3])
  assert.equal(await server.statusOf(server.as('quiet')), 200)
})

test('a request that waits too long gets 503 overloaded', async () => {
  await using server = await serveSlowly({ ...still, limits: { queueMax: 9, queuePerTenantMax: 9, waitMs: 1 } })
  assert.equal(await server.statusOf(server.as('quiet')), 200)
  const asked = Array.from({ length: 3 }, () => server.as('busy'))
  const refused = await Promise.race(asked)
  assert.equal(refused.status, 503)
  assert.equal(((await refused.json()) as { details: { limit: string } }).details.limit, 'requestWaitMs')
})

test('an invented key is refused at once, however long the queue of the tenant that it names', async () => {
  await using server = await serveSlowly()
  await server.crowd(10)
  const waiting = server.turns.waiting()
  const authorization = `Bearer ${formatKey(`key_${randomUUID()}`, 'busy', 'x'.repeat(43))}`
  for (let n = 0; n < 5; n++)
    assert.equal((await fetch(`${server.url}${entries}`, { headers: { authorization } })).status, 401)
  assert.equal(server.turns.waiting(), waiting)
})

test('streams, and calls that send requests to this server, occupy no slot', async () => {
  await using server = await serveSlowly()
  assert.equal(await server.statusOf(server.as('quiet')), 200)
  const streams = await Promise.all([1, 2, 3].map(() => openChanges(server.url, 'key-of-busy')))
  const called = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer key-of-busy',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  assert.notEqual(called.status, 503)
  assert.equal(await server.statusOf(server.as('busy', null, '/v1/host/colophon/memory')), 200)
  assert.equal(server.turns.waiting(), 0)
  for (const stream of streams) await stream.close()
})

test('a slow request lets the next request of its tenant start', async () => {
  await using server = await serveSlowly({ ...still, holdMs: 1 })
  assert.equal(await server.statusOf(server.as('quiet')), 200)
  const asked = Array.from({ length: 20 }, () => server.statusOf(server.as('busy')))
  await eventually('all are begun', async () => server.began.count === 20)
  server.letGo()
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]))
})

test('a tenant leaves slots for a tenant that is active on another process, and its own activity is shared', async () => {
  await using server = await serveSlowly(
    still,
    new Map([
      ['busy', 1],
      ['quiet', 1],
    ]),
  )
  assert.equal(await server.statusOf(server.as('busy', null, '/v1/host/colophon/memory')), 200)
  await eventually('the activity was shared', async () => server.exchanged.includes('busy'))
  const asked = [server.statusOf(server.as('busy')), server.statusOf(server.as('busy'))]
  await eventually('one waits', async () => server.began.count === 1 && server.turns.waiting() === 1)
  server.letGo()
  await eventually('it has its turn', async () => server.began.count === 2)
  server.letGo()
  assert.deepEqual(await Promise.all(asked), [200, 200])
})
