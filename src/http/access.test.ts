import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { Principal } from '../app/access/authenticate.ts'
import type { Engine } from '../app/engine.ts'
import type { Scope } from '../core/access/scopes.ts'
import { ColophonError, isColophonError } from '../core/errors.ts'
import { wires } from '../wires/index.ts'
import { type AccessOptions, guardRoutes } from './access.ts'
import { createErrorSender } from './error-response.ts'
import { type Access, type App, checkScope, idempotencyOf, principalOf, writeOptions } from './route-context.ts'

const sendError = createErrorSender(wires)

import { createRequestQueue } from './request-queue.ts'
import { markReplay } from './route.ts'
import { addSecurityHeaders } from './security-headers.ts'

const scopesOf: Readonly<Record<string, readonly Scope[]>> = {
  reader: ['memory:read'],
  writer: ['memory:write', 'memory:read'],
}

/** A server with one route for each kind of access; the key is the name of the caller. */
function openServer(options: Partial<AccessOptions> = {}) {
  const clock = { now: 1_000_000 }
  const called: string[] = []
  const looked: (string | undefined)[] = []
  const authenticate = async (authorization: string | undefined): Promise<Principal> => {
    looked.push(authorization)
    const keyId = authorization?.replace('Bearer ', '') ?? ''
    const scopes = scopesOf[keyId]
    if (scopes === undefined) throw new ColophonError('unauthenticated', 'The API key is not valid.')
    return { tenantId: 'acme', keyId, scopes, reader: null, endsAt: null, actor: `key:${keyId}` }
  }
  const engine = { system: { now: () => clock.now, isSame: (a: string, b: string) => a === b } } as Engine
  const app = Fastify() as unknown as App
  app.decorateRequest('traceScope', null)
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error))
  app.setNotFoundHandler((request, reply) => sendError(request, reply, new ColophonError('not_found', 'Nothing.')))
  addSecurityHeaders(app)
  const queue = createRequestQueue()
  guardRoutes(app, engine, authenticate, {
    staticKeys: [],
    operatorKey: null,
    rateLimitPerMin: 0,
    requestQueue: queue,
    ...options,
  })
  for (const access of ['public', 'operator', 'key', 'memory:read', 'memory:write'] satisfies Access[]) {
    app.get(`/${access.replace(':', '-')}`, { config: { access } }, async (request) => {
      called.push(access)
      return { keyId: request.principal?.keyId ?? null }
    })
  }
  app.get('/both', { config: { access: 'memory:read' } }, async (request, reply) => {
    checkScope(request, 'memory:write')
    markReplay(request, reply, true)
    return writeOptions(request)
  })
  app.get('/docs/page', { config: { access: 'public' } }, async () => 'page')
  const call = (url: string, key?: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) } })
  return { app, call, called, looked, clock, [Symbol.asyncDispose]: () => app.close() }
}

test('a public route needs no key and looks none up', async () => {
  await using server = openServer()
  const { statusCode } = await server.call('/public', 'unknown')
  assert.deepEqual([statusCode, server.looked], [200, []])
})

test('a route with a scope needs a key that has exactly this scope', async () => {
  await using server = openServer()
  const statusOf = async (url: string, key?: string) => (await server.call(url, key)).statusCode
  assert.equal(await statusOf('/memory-read'), 401)
  assert.equal(await statusOf('/memory-read', 'unknown'), 401)
  assert.equal(await statusOf('/memory-write', 'reader'), 403)
  assert.deepEqual(server.called, [])
  assert.equal(await statusOf('/memory-read', 'reader'), 200)
  assert.equal(await statusOf('/memory-write', 'writer'), 200)
  assert.equal(await statusOf('/key', 'reader'), 200)
  const { details } = (await server.call('/memory-write', 'reader')).json()
  assert.equal(details.requiredScope, 'memory:write')
})

test('a path without a route needs a key too, so that routes cannot be enumerated without one', async () => {
  await using server = openServer()
  assert.equal((await server.call('/no/such/path')).statusCode, 401)
  assert.equal((await server.call('/no/such/path', 'reader')).statusCode, 404)
})

test('operator routes accept the operator key and no tenant key', async () => {
  await using server = openServer({ operatorKey: 'the-operator' })
  const statusOf = async (key?: string) => (await server.call('/operator', key)).statusCode
  assert.deepEqual([await statusOf(), await statusOf('reader'), await statusOf('the-operator')], [401, 401, 200])
  assert.equal((await server.call('/key', 'the-operator')).statusCode, 401)
})

test('without a configured operator key the operator routes accept no key', async () => {
  await using server = openServer({ operatorKey: null })
  for (const key of [undefined, '', 'null', 'reader']) {
    assert.equal((await server.call('/operator', key)).statusCode, 401)
  }
})

test('a key over its rate limit is refused with the seconds to wait, before its scope is checked', async () => {
  await using server = openServer({ rateLimitPerMin: 2 })
  for (let n = 0; n < 2; n++) await server.call('/memory-read', 'reader')
  server.clock.now += 500
  const refused = await server.call('/memory-write', 'reader')
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '60'])
  assert.deepEqual(refused.json().details.retryAfterMs, 59_500)
  assert.equal((await server.call('/memory-read', 'writer')).statusCode, 200)
  server.clock.now += 59_500
  assert.equal((await server.call('/memory-read', 'reader')).statusCode, 200)
})

test('a second scope of a route is checked in its handler', async () => {
  await using server = openServer()
  const refused = await server.call('/both', 'reader')
  assert.deepEqual([refused.statusCode, refused.json().details.requiredScope], [403, 'memory:write'])
  assert.deepEqual((await server.call('/both', 'writer')).json(), { actor: 'key:writer' })
})

test('an idempotency key is passed on, and the response says whether it is a repeat', async () => {
  await using server = openServer()
  const keyed = await server.call('/both', 'writer', { 'idempotency-key': 'k1' })
  assert.deepEqual(keyed.json(), { actor: 'key:writer', idempotencyKey: 'k1' })
  assert.deepEqual([keyed.headers['idempotent-replay'], keyed.headers['openwop-idempotent-replay']], ['true', 'true'])
  const plain = await server.call('/both', 'writer')
  assert.ok(!('idempotent-replay' in plain.headers) && !('openwop-idempotent-replay' in plain.headers))
})

test('a handler that is reached without a principal refuses instead of choosing a tenant', () => {
  const request = { principal: null, headers: {} } as Parameters<typeof principalOf>[0]
  assert.throws(
    () => principalOf(request),
    (error) => isColophonError(error, 'unauthenticated'),
  )
  assert.throws(
    () => writeOptions(request),
    (error) => isColophonError(error, 'unauthenticated'),
  )
  assert.deepEqual(idempotencyOf(request), {})
})

test('every response has the security headers, also an error; only documentation pages may load scripts', async () => {
  await using server = openServer()
  const policyOf = async (url: string, key?: string) => {
    const { headers } = await server.call(url, key)
    assert.deepEqual(
      [headers['x-content-type-options'], headers['x-frame-options'], headers['cache-control']],
      ['nosniff', 'DENY', 'no-store'],
    )
    assert.ok(headers['x-request-id'])
    return String(headers['content-security-policy'])
  }
  const strict = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
  assert.equal(await policyOf('/memory-read', 'reader'), strict)
  assert.equal(await policyOf('/memory-read'), strict)
  assert.equal(await policyOf('/no/such/path'), strict)
  assert.match(await policyOf('/docs/page'), /default-src 'self'/)
})
