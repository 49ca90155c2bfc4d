import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { formatKey, hashKey } from '../../src/core/access/api-key.ts'
import { limits } from '../../src/core/limits.ts'
import { createRequestQueue } from '../../src/http/request-queue.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { composeEngine, openStorage } from '../../src/open.ts'
import type { QueueLimits } from '../../src/scheduling/fair-semaphore.ts'
import { wires } from '../../src/wires/index.ts'
import { eventually } from '../support/child.ts'
import { openChanges } from '../support/sse.ts'

const entries = '/v1/host/colophon/memory/notes/entries'
const slots = 2

/** A server whose queue passes no slot on while the test stalls it, and whose store answers the lists of the tenant `busy` only when the test says so. */
async function serveSlowly(given: Partial<QueueLimits> = {}) {
  const storage = await openStorage({ inMemory: true }, Date.now)
  const held: (() => void)[] = []
  let isOver = false
  const began: string[] = []
  const slow = {
    ...storage,
    async listShown(query: Parameters<typeof storage.listShown>[0]) {
      began.push(query.tenantId)
      if (query.tenantId === 'busy' && !isOver) await new Promise<void>((go) => held.push(go))
      return storage.listShown(query)
    },
  }
  const stall = { isOn: false }
  let time = 0
  const queueLimits = { queueMax: 1_000, queuePerTenantMax: 1_000, waitMs: 60_000, ...given }
  // A turn whose time is over as soon as it begins passes no slot on.
  const now = () => {
    if (stall.isOn) time += limits.requestTurnMs
    return time
  }
  const { engine, close } = composeEngine(slow, nodeSystem(), 'test', null)
  const turns = createRequestQueue({ slots, now, limits: queueLimits })
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
    streamsPerKey: 10,
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
    stall,
    as,
    statusOf,
    /** Stalls the queue and sends requests of the busy tenant: as many start as there are slots, the others wait. */
    async crowd(count: number, signal: AbortSignal | null = null): Promise<Promise<number>[]> {
      stall.isOn = true
      const asked = Array.from({ length: count }, () => statusOf(as('busy', signal)).catch(() => 0))
      await eventually('they have begun or wait', async () => began.length + turns.waiting() === count)
      assert.equal(began.length, Math.min(slots, count))
      return asked
    },
    letGo,
    async [Symbol.asyncDispose]() {
      isOver = true
      stall.isOn = false
      letGo()
      const closing = app.close()
      app.server.closeAllConnections()
      await closing
      await close()
    },
  }
}

test('a request of another tenant starts before the 62 waiting requests of a busy tenant', async () => {
  await using server = await serveSlowly()
  const { turns, began, as, statusOf, letGo } = server
  const asked = await server.crowd(64)
  const quiet = statusOf(as('quiet'))
  await eventually('it waits', async () => turns.waiting() === 63)
  server.stall.isOn = false
  assert.equal(await quiet, 200)
  assert.ok(began.indexOf('quiet') <= slots + 1, `${began.indexOf('quiet')} began before it`)
  const letting = setInterval(letGo, 1)
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]))
  clearInterval(letting)
  assert.deepEqual([began.length, turns.waiting()], [65, 0])
})

test('requests that wait for the database use no slot: all requests of a tenant start, and those of another tenant too', async () => {
  await using server = await serveSlowly()
  const asked = Array.from({ length: 64 }, () => server.statusOf(server.as('busy')))
  await eventually('all are begun', async () => server.began.length === 64)
  assert.equal(await server.statusOf(server.as('quiet')), 200)
  server.letGo()
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]))
})

test('clients that disconnect leave no slot taken and no request in the queue', async () => {
  await using server = await serveSlowly()
  const leaving = new AbortController()
  const asked = await server.crowd(8, leaving.signal)
  leaving.abort()
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([0]))
  server.stall.isOn = false
  await eventually('the queue is empty', async () => server.turns.waiting() === 0 && server.began.length === 8)
  server.began.length = 0
  server.letGo()
  const again = await server.crowd(3)
  server.stall.isOn = false
  await eventually('all have begun', async () => server.began.length === 3)
  server.letGo()
  assert.deepEqual(await Promise.all(again), [200, 200, 200])
})

test('a request behind too many of its own tenant gets 503 overloaded; other tenants do not', async () => {
  await using server = await serveSlowly({ queueMax: 9, queuePerTenantMax: 3 })
  await server.crowd(5)
  const refused = await server.as('busy')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  const { error, details } = (await refused.json()) as { error: string; details: { limit: string; max: number } }
  assert.deepEqual([error, details.limit, details.max], ['overloaded', 'requestQueuePerTenantMax', 3])
  const quiet = server.statusOf(server.as('quiet'))
  await eventually('it waits', async () => server.turns.waiting() === 4)
  server.stall.isOn = false
  assert.equal(await quiet, 200)
})

test('a request that waits too long gets 503 overloaded', async () => {
  await using server = await serveSlowly({ waitMs: 1 })
  server.stall.isOn = true
  const asked = Array.from({ length: slots + 1 }, () => server.as('busy'))
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
  server.stall.isOn = true
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
