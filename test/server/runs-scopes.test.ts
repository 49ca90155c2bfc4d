import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, type Tenant, type TestServer } from '../support/server.ts'
import { openStream } from '../support/sse.ts'
import { chain, ended, eventsOf, gate, host, noop, register, startRun, startWaiting, workflows } from './runs-calls.ts'

const allScopes = [
  'manifest:read',
  'runs:create',
  'runs:read',
  'runs:cancel',
  'artifacts:read',
  'webhooks:manage',
  'approvals:respond',
  'audit:read',
  'memory:read',
  'memory:write',
  'memory:delete',
  'memory:admin',
  'keys:manage',
]

type Route = readonly [scope: string, method: string, path: string, body?: object]

/** Every route of runs, workflows, interrupts and webhooks, about things that are there. */
const routesOf = (run: string, done: string, webhookId: string): Route[] => [
  ['manifest:read', 'GET', '/v1/workflows/asks'],
  ['manifest:read', 'GET', workflows],
  ['memory:admin', 'POST', workflows, chain('more', [noop()])],
  ['runs:create', 'POST', '/v1/runs', { workflowId: 'asks' }],
  ['runs:read', 'GET', `/v1/runs/${run}`],
  ['runs:read', 'GET', `${host}/runs`],
  ['runs:read', 'GET', `/v1/runs/${done}/events`],
  ['runs:read', 'GET', `/v1/runs/${run}/events/poll?timeout=0`],
  ['runs:read', 'GET', `/v1/runs/${run}/debug-bundle`],
  ['runs:read', 'GET', `/v1/runs/${run}:diff?against=${done}`],
  ['runs:read', 'GET', `${host}/runs/${run}:diff?against=${done}`],
  ['runs:read', 'GET', `${host}/runs/${run}/reads`],
  ['artifacts:read', 'GET', `/v1/runs/${run}/artifacts/x`],
  ['approvals:respond', 'POST', `/v1/runs/${run}/interrupts/gate`, { resumeValue: { action: 'no' } }],
  ['runs:cancel', 'POST', `/v1/runs/${run}:pause`],
  ['runs:cancel', 'POST', `/v1/runs/${run}:resume`],
  ['runs:cancel', 'POST', '/v1/runs:bulk-cancel', { runIds: ['none'] }],
  ['runs:cancel', 'POST', `/v1/runs/${run}/cancel`],
  ['webhooks:manage', 'POST', '/v1/webhooks', { url: 'https://hooks.example.com/', events: ['*'] }],
  ['webhooks:manage', 'DELETE', `/v1/webhooks/${webhookId}`],
]

describe('scopes of the routes of runs', () => {
  let server: TestServer
  let tenant: Tenant
  let routes: Route[]
  const keys = new Map<string, Call>()
  let waiting: string

  const keyWith = async (scopes: readonly string[]): Promise<string> => {
    const made = await tenant.call('POST', `${host}/keys`, { name: 'some', scopes })
    assert.equal(made.status, 201, made.text)
    return made.body.key
  }
  before(async () => {
    server = await startServer()
    tenant = await server.tenant()
    const { call } = tenant
    await register(call, chain('asks', [gate()]))
    await register(call, chain('quick', [noop()]))
    waiting = await startWaiting(call, 'asks')
    const done = await startRun(call, 'quick')
    await ended(call, done)
    const hook = { url: 'https://hooks.example.com/', events: ['*'] }
    const { webhookId } = (await call('POST', '/v1/webhooks', hook)).body
    routes = routesOf(await startWaiting(call, 'asks'), done, webhookId)
    for (const scope of allScopes) {
      keys.set(`only ${scope}`, server.as(await keyWith([scope])))
      keys.set(`all but ${scope}`, server.as(await keyWith(allScopes.filter((other) => other !== scope))))
    }
  })
  after(() => server[Symbol.asyncDispose]())

  const key = (name: string) => keys.get(name) as Call

  test('every route needs its scope, no other replaces it, and nothing is revealed before', async () => {
    for (const [scope, method, path, body] of routes) {
      for (const where of [path, path.replace(/run_[0-9a-f-]+/, 'run_none').replace(/wh_[0-9a-f-]+/, 'wh_none')]) {
        const answer = await key(`all but ${scope}`)(method, where, body)
        assert.equal(answer.status, 403, `${method} ${where}: ${answer.text}`)
        assertError(answer, 403, 'forbidden')
        assert.equal(answer.body.details.requiredScope, scope)
      }
    }
  })

  test('the needed scope is enough', async () => {
    for (const [scope, method, path, body] of routes) {
      const answer = await key(`only ${scope}`)(method, path, body)
      assert.ok(![401, 403].includes(answer.status) && answer.status < 500, `${method} ${path}: ${answer.text}`)
    }
  })

  test('without a key nothing is revealed, also not what exists', async () => {
    const refusedCallers = [
      server.as(null),
      server.as('wrong'),
      server.as(`col_${'x'.repeat(40)}`),
      server.as(server.operatorKey),
    ]
    for (const caller of refusedCallers) {
      for (const [, method, path, body] of routes) {
        for (const where of [path, path.replace(/run_[0-9a-f-]+/, 'run_none'), path.replace('asks', 'none')]) {
          const answer = await caller(method, where, body)
          assert.equal(answer.status, 401, `${method} ${where}: ${answer.text}`)
          assertError(answer, 401, 'unauthenticated')
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
        }
      }
    }
    for (const path of ['/v1/runs/x:explode', '/v1/runs/x/y/z', '/v1/webhooks', '/v1/interrupts', `${host}/runs/x`])
      assertError(await server.as(null)('GET', path), 401, 'unauthenticated')
    assertError(await server.as(null)('POST', '/v1/runs', 'x'.repeat(100)), 401, 'unauthenticated')
  })

  test('a fork needs two scopes', async () => {
    const path = `/v1/runs/${waiting}:fork`
    const draft = { mode: 'branch', fromSeq: 0 }
    for (const [have, lack] of [
      ['runs:create', 'runs:read'],
      ['runs:read', 'runs:create'],
    ] as const) {
      for (const name of [`only ${have}`, `all but ${lack}`]) {
        for (const where of [path, '/v1/runs/none:fork']) {
          const answer = await key(name)('POST', where, draft)
          assertError(answer, 403, 'forbidden')
          assert.equal(answer.body.details.requiredScope, lack)
        }
      }
    }
    const both = server.as(await keyWith(['runs:create', 'runs:read']))
    assert.equal((await both('POST', path, draft)).status, 201)
  })

  test('interrupt tokens are shown only to keys with the scope to answer', async () => {
    const may = server.as(await keyWith(['runs:read', 'approvals:respond']))
    const shown = (await may('GET', `/v1/runs/${waiting}`)).body.interrupt
    assert.ok(shown.interruptToken && shown.callbackUrl.endsWith(shown.interruptToken))
    const readerKey = await keyWith(['runs:read'])
    const reader = server.as(readerKey)
    const { interruptToken, callbackUrl, ...rest } = shown
    assert.deepEqual((await reader('GET', `/v1/runs/${waiting}`)).body.interrupt, rest)
    const [head = ''] = interruptToken.split('.')
    for (const path of ['/events/poll?timeout=0', '/debug-bundle', `:diff?against=${waiting}`]) {
      const { text, status } = await reader('GET', `/v1/runs/${waiting}${path}`)
      assert.equal(status, 200, text)
      assert.ok(!text.includes(head.slice(0, 40)) && !text.includes('/v1/interrupts/'), text)
    }
    // It is not in the log, for any key.
    assert.ok(!JSON.stringify(await eventsOf(tenant.call, waiting)).includes(head.slice(0, 40)))
    const url = `${server.url}/v1/runs/${waiting}/events?streamMode=values`
    await using blind = await openStream(url, readerKey)
    await using sighted = await openStream(url, tenant.key)
    for (const stream of [blind, sighted]) await stream.until('a snapshot', (events) => events.length > 0)
    assert.deepEqual(blind.events[0]?.data.interrupt, rest)
    assert.ok(sighted.events[0]?.data.interrupt.interruptToken)
  })

  test('a scope gives no access to another tenant', async () => {
    const other = await server.tenant()
    for (const [, method, path, body] of routes) {
      if (!/run_|wh_/.test(path)) continue
      const answer = await other.call(method, path, body)
      assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`)
    }
  })
})
