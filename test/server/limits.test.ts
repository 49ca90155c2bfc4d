import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/child.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { startServer } from '../support/server.ts'
import { openChanges } from '../support/sse.ts'

const host = '/v1/host/colophon'

test('a key over its rate limit gets 429 with Retry-After, and other keys are not affected', async () => {
  await using server = await startServer({ env: { COLOPHON_RATE_LIMIT_PER_MIN: '5' } })
  const [busy, calm] = [await server.tenant(), await server.tenant()]
  for (let call = 0; call < 5; call++) assert.equal((await busy.call('GET', `${host}/memory`)).status, 200)
  const limited = await busy.call('GET', `${host}/memory`)
  assertError(limited, 429, 'rate_limited')
  const seconds = Number(limited.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, limited.headers.get('retry-after') ?? '')
  assert.ok(Math.abs(limited.body.details.retryAfterMs - seconds * 1_000) <= 1_000)
  assert.equal(limited.body.details.scope, 'key')
  assertProvenanceError(await busy.call('GET', '/v1/tenant/settings'), 429, 'rate_limited')
  assertError(await busy.call('GET', '/nothing'), 429, 'rate_limited')
  assert.equal((await calm.call('GET', `${host}/memory`)).status, 200)
  assert.equal((await busy.call('GET', '/healthz')).status, 200)
})

test('the rate limit is checked before the scope', async () => {
  await using server = await startServer({ env: { COLOPHON_RATE_LIMIT_PER_MIN: '2' } })
  const { call } = await server.tenant()
  const { key } = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
  const statuses = []
  for (let index = 0; index < 4; index++) statuses.push((await server.as(key)('GET', `${host}/keys`)).status)
  assert.deepEqual(statuses, [403, 403, 429, 429])
})

test('open streams are limited by key and by tenant, and a stream that ends frees its slot', async () => {
  await using server = await startServer({ env: { COLOPHON_STREAMS_PER_KEY: '2', COLOPHON_STREAMS_PER_TENANT: '3' } })
  const [busy, calm] = [await server.tenant(), await server.tenant()]
  const { key: second } = (await busy.call('POST', `${host}/keys`, { name: 'other', scopes: ['memory:read'] })).body
  const first = await openChanges(server.url, busy.key)
  await openChanges(server.url, busy.key)
  const refused = await busy.call('GET', `${host}/changes`)
  assertError(refused, 429, 'rate_limited')
  assert.equal(refused.body.details.limit, 'streamsPerKeyMax')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  const other = await openChanges(server.url, second)
  const ofTenant = await server.as(second)('GET', `${host}/changes`)
  assertError(ofTenant, 429, 'quota_exceeded')
  const { quota, used, limit } = ofTenant.body.details
  assert.deepEqual({ quota, used, limit }, { quota: 'streams', used: 3, limit: 3 })
  const quiet = await openChanges(server.url, calm.key)
  assert.deepEqual([first.status, other.status, quiet.status], [200, 200, 200])
  await first.close()
  await eventually('there is room again', async () => {
    const again = await openChanges(server.url, busy.key)
    return again.status === 200
  })
})

const page = 'https://app.example.com'
const preflight = (method: string) => ({
  origin: page,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,content-type,idempotency-key,last-event-id',
})

test('the bytes that a key sends in an hour are limited, on every wire, with or without a Content-Length', async () => {
  await using server = await startServer({ env: { COLOPHON_KEY_BYTES_PER_HOUR: '20000' } })
  const [busy, other] = [await server.tenant(), await server.tenant()]
  const notes = '/v1/host/colophon/memory/notes/entries'
  assert.equal((await busy.call('POST', notes, { content: 'x'.repeat(15_000) })).status, 201)
  const limited = await busy.call('POST', notes, { content: 'x'.repeat(6_000) })
  assertError(limited, 429, 'rate_limited')
  assert.equal(limited.body.details.limit, 'keyBytesPerHour')
  assert.ok(Number(limited.headers.get('retry-after')) > 3_000)
  const tried = await busy.call('POST', '/v1/host/colophon/rules:test', { text: 'x'.repeat(6_000) })
  assert.equal(tried.status, 429, 'a dry test answers guesses too')
  const add = { external_user_id: 'ada', messages: [{ role: 'user', content: 'x'.repeat(6_000) }] }
  assertProvenanceError(await busy.call('POST', '/v1/memories/add', add), 429, 'rate_limited')
  assert.equal((await busy.call('GET', notes)).status, 200)

  const chunked = (size: number) =>
    fetch(`${server.url}${notes}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ content: 'x'.repeat(size) })]).stream(),
      duplex: 'half',
    } as RequestInit)
  assert.equal((await chunked(19_950)).status, 201)
  assert.equal((await chunked(100)).status, 201)
  assert.equal((await chunked(100)).status, 429)
})

test('pages of a configured origin are allowed to make every call, and pages of other origins none', async () => {
  await using server = await startServer({ env: { COLOPHON_CORS_ORIGINS: page } })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status, headers } = await server.as(null)('OPTIONS', `${host}/secrets/one`, undefined, preflight(method))
    assert.equal(status, 204)
    assert.equal(headers.get('access-control-allow-origin'), page)
    assert.match(headers.get('access-control-allow-methods') ?? '', new RegExp(`\\b${method}\\b`))
    assert.match(headers.get('access-control-allow-headers') ?? '', /authorization/i)
  }
  const answer = await server.call('GET', `${host}/memory`, undefined, { origin: page })
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, page])
  const failed = await server.as(null)('GET', `${host}/memory`, undefined, { origin: page })
  assert.equal(failed.headers.get('access-control-allow-origin'), page, 'a page can read why it was refused')
  const other = await server.call('GET', `${host}/memory`, undefined, { origin: 'https://evil.example.com' })
  assert.equal(other.headers.get('access-control-allow-origin'), null)
  assert.equal(answer.headers.get('access-control-allow-credentials'), null)
})

test('without configured origins no page is allowed to call', async () => {
  await using server = await startServer()
  const { headers } = await server.call('GET', `${host}/memory`, undefined, { origin: page })
  assert.equal(headers.get('access-control-allow-origin'), null)
  assert.equal((await server.as(null)('OPTIONS', `${host}/memory`, undefined, preflight('GET'))).status, 401)
})
