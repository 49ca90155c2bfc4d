import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { assertError } from '../support/envelope.ts'
import { describedPaths } from '../support/openapi.ts'
import { type Env, randomKey, startServer, type Tenant, type TestServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { ask, assertRefusal, each, keyed, learnt, rowOf } from './authorisation-calls.ts'
import { table } from './authorisation-table.ts'
import { type Furnished, furnish, unknownLike } from './authorisation-things.ts'
import { host } from './runs-calls.ts'

const guarded = Object.keys(table).filter((route) => rowOf(route).needs !== 'nothing')
const forKeys = guarded.filter((route) => typeof rowOf(route).needs !== 'string')
const neededBy = (route: string) => rowOf(route).needs as readonly string[]
/** All of them, or in `npm test` a fourth that starts at another one each time: every route and every caller has its turns. */
const inTurns = <Item>(items: readonly Item[], from: number) =>
  isThorough ? items : items.filter((_, at) => at % 4 === from % 4)
/** What shows comes before what changes, and what changes before what takes away. */
const rank = (route: string) => {
  const verbs = [/^GET/, /^(?!DELETE)(?!.*(?:cancel|:disable|:undo)$)/, /:disable$/, /./]
  return verbs.findIndex((verb) => verb.test(route))
}
const inOrder = Object.keys(table).sort((a, b) => rank(a) - rank(b))

describe('which callers are allowed on each route', () => {
  let server: TestServer
  let tenant: Tenant
  let real: Furnished
  let unknown: Furnished
  let other: Tenant
  /** Callers that every route with a key must refuse, and the error code that each gets. */
  const refusedCallers = new Map<string, { headers: Env; code: string }>()
  const keys = new Map<string, Env>()

  const keyOf = async ({ call }: Tenant, granted: readonly string[]) => {
    const made = await call('POST', `${host}/keys`, { name: 'some', scopes: granted })
    assert.equal(made.status, 201, made.text)
    return made.body as { id: string; key: string }
  }
  before(async () => {
    server = await startServer()
    tenant = await server.tenant()
    other = await server.tenant()
    real = await furnish((await server.tenant()).id, tenant.call)
    unknown = unknownLike(real)
    for (const scope of scopes) {
      keys.set(`only ${scope}`, keyed((await keyOf(tenant, [scope])).key))
      const rest = scopes.filter((one) => one !== scope)
      keys.set(`all but ${scope}`, keyed((await keyOf(tenant, rest)).key))
    }
    const revoked = await keyOf(tenant, scopes)
    await tenant.call('DELETE', `${host}/keys/${revoked.id}`)
    const expired = await makeBrief(async (expiresAt) => {
      const { status, body } = await tenant.call('POST', `${host}/keys`, { name: 'brief', scopes, expiresAt })
      return status === 201 ? (body as { key: string }) : null
    })
    const isOver = async () => (await server.as(expired.key)('GET', `${host}/memory`)).status === 401
    await eventually('the key has expired', isOver)
    const disabled = await server.tenant()
    await server.as(server.operatorKey)('POST', `${host}/tenants/${disabled.id}:disable`)
    const [id = '', name = '', secret = ''] = tenant.key.split('.')
    const unauthenticated = { code: 'unauthenticated' }
    refusedCallers
      .set('no key', { headers: {}, ...unauthenticated })
      .set('an empty key', { headers: { authorization: '' }, ...unauthenticated })
      .set('another scheme', { headers: { authorization: `Basic ${tenant.key}` }, ...unauthenticated })
      .set('two keys', { headers: { authorization: `Bearer ${tenant.key} ${tenant.key}` }, ...unauthenticated })
      .set('an unknown key', { headers: keyed(randomKey()), ...unauthenticated })
      .set('a wrong secret', { headers: keyed(`${id}.${name}.${secret.replace(/./g, 'A')}`), ...unauthenticated })
      .set("another tenant's name", { headers: keyed(`${id}.${other.id}.${secret}`), ...unauthenticated })
      .set('a revoked key', { headers: keyed(revoked.key), code: 'key_revoked' })
      .set('an expired key', { headers: keyed(expired.key), code: 'key_expired' })
      .set('a disabled tenant', { headers: keyed(disabled.key), ...unauthenticated })
  })
  after(() => server[Symbol.asyncDispose]())

  test('the table has every route of the document, and no other', async () => {
    const routes = (await describedPaths(server)).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    )
    const sorted = (names: readonly string[]) => [...names].sort()
    assert.deepEqual(sorted(Object.keys(table)), sorted(routes), 'authorisation-table.ts says who may call what')
  })

  test('callers without a key get 401, and do not learn which routes exist', async () => {
    const callers = [
      ...refusedCallers,
      ['the operator', { headers: keyed(server.operatorKey), code: 'unauthenticated' }],
    ]
    for (const [at, [who, { headers, code }]] of (callers as [string, { headers: Env; code: string }][]).entries()) {
      const routes = who === 'the operator' ? forKeys : guarded
      await each(who === 'no key' ? routes : inTurns(routes, at), async (route) => {
        const [asked, elsewhere] = [
          await ask(server, { route, about: real, headers }),
          await ask(server, { route, about: unknown, headers }),
        ]
        // The operator's routes know one key; they cannot say why another one is wrong.
        assertRefusal(`${route} (${who})`, asked, 401, rowOf(route).needs === 'operator' ? 'unauthenticated' : code)
        assert.deepEqual(learnt(asked), learnt(elsewhere), `${route} shows ${who} what exists`)
        const all = `${asked.text}${JSON.stringify([...asked.headers])}`
        assert.ok(!all.includes(real.canary) && !all.includes(tenant.key), `${route} repeats: ${all}`)
      })
    }
  })

  test('HEAD needs the same scope as GET', async () => {
    for (const who of ['no key', 'a revoked key', 'a disabled tenant']) {
      const headers = refusedCallers.get(who)?.headers ?? {}
      await each(
        guarded.filter((route) => route.startsWith('GET ')),
        async (route) => {
          const { status } = await ask(server, { route, about: real, headers, method: 'HEAD' })
          assert.equal(status, 401, `HEAD of ${route} lets in ${who}: ${status}`)
        },
      )
    }
  })

  test('no scope replaces the needed one, nor do all other scopes together', async () => {
    await each(forKeys, async (route) => {
      const needed = neededBy(route)
      const others = scopes.filter((scope) => !needed.includes(scope))
      for (const scope of [...needed, ...inTurns(others, forKeys.indexOf(route))]) {
        const isOneOf = needed.includes(scope)
        const who = isOneOf ? `all but ${scope}` : `only ${scope}`
        const headers = keys.get(who) ?? {}
        const asked = await ask(server, { route, about: real, headers })
        assertRefusal(`${route} (${who})`, asked, 403, 'forbidden')
        const { requiredScope } = asked.body.details
        assert.ok(isOneOf ? requiredScope === scope : needed.includes(requiredScope), `${route}: ${asked.text}`)
        if (isThorough || isOneOf) {
          const elsewhere = await ask(server, { route, about: unknown, headers })
          assert.deepEqual(learnt(asked), learnt(elsewhere), `${route} shows what exists`)
        }
        assert.ok(!asked.text.includes(real.canary), asked.text)
      }
    })
  })

  test('what is public is the same for every caller', async () => {
    const open = Object.keys(table).filter((route) => rowOf(route).needs === 'nothing')
    for (const route of open) {
      const expected = learnt(await ask(server, { route, about: real, headers: {} }))
      for (const [who, { headers }] of refusedCallers)
        assert.deepEqual(learnt(await ask(server, { route, about: real, headers })), expected, `${route} to ${who}`)
    }
  })

  test('ids of another tenant get the same response as unknown ids', async () => {
    // Without background work: the host's own schedules fire and enqueue jobs.
    const shown = async () => {
      const lists = Object.keys(table).filter((route) => /^GET [^{]*$/.test(route) && forKeys.includes(route))
      const state = new Map<string, string>()
      for (const route of lists.filter((route) => !/(?:changes|stats|jobs|export)$/.test(route))) {
        const { text } = await ask(server, { route, about: real, headers: keyed(tenant.key) })
        state.set(route, text.replaceAll(/"(?:lastUsedAt|checkedAt|nextDueAt)":"[^"]*"/g, ''))
      }
      return state
    }
    const earlier = await shown()
    for (const route of inOrder.filter((route) => forKeys.includes(route))) {
      const headers = keyed(other.key)
      const asked = await ask(server, { route, about: real, headers })
      const elsewhere = await ask(server, { route, about: unknown, headers })
      assert.ok(asked.status < 500, `${route}: ${asked.text}`)
      if (asked.status >= 400) {
        assertRefusal(route, asked, asked.status)
        assert.ok(!asked.text.includes(real.canary), `${route} repeats: ${asked.text}`)
      }
      assert.deepEqual(learnt(asked), learnt(elsewhere), `${route} knows the ids of another tenant`)
      for (const content of [`content ${real.canary}`, `ingested ${real.canary}`, `first ${real.canary}`])
        assert.ok(!asked.text.includes(content), `${route}: ${asked.text}`)
    }
    for (const [route, text] of await shown())
      assert.equal(text, earlier.get(route), `${route}: another tenant was changed`)
  })

  test('the needed scopes are enough, and an existing id gets another response than an unknown one', async () => {
    for (const route of inOrder) {
      const { needs, status = 200, needsNothingThere } = rowOf(route)
      const granted = typeof needs === 'string' ? null : keyed((await keyOf(tenant, needs)).key)
      const headers =
        granted ?? (needs === 'operator' ? keyed(server.operatorKey) : needs === 'key' ? keyed(tenant.key) : {})
      // Before the real one, which this must not help; and not where it would make the thing.
      const nowhere = needsNothingThere ? null : await ask(server, { route, about: unknown, headers })
      const asked = await ask(server, { route, about: real, headers })
      assert.equal(asked.status, status, `${route}: ${asked.text}`)
      if (status >= 400) assertRefusal(route, asked, status)
      if (!route.includes('{') || nowhere === null) continue
      const [response, control] = [asked, nowhere].map(({ status, text }) => ({ status, text }))
      assert.notDeepEqual(response, control, `${route} answers alike, whether it is there or not`)
    }
  })

  test('paths outside of the document are public, need a key, or are not found', async () => {
    for (const path of ['/metrics', '/docs/json', '/docs/static/index.css', '/', '/console', '/console/memories'])
      assert.equal((await server.as(null)('GET', path)).status, 200, path)
    const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const accept = { accept: 'application/json, text/event-stream' }
    for (const [who, { headers, code }] of refusedCallers) {
      const answer = await server.as(null)('POST', '/mcp', mcp, { ...accept, ...headers })
      assertRefusal(`POST /mcp (${who})`, answer, 401, code)
    }
    assertError(await server.as(server.operatorKey)('POST', '/mcp', mcp, accept), 401)
    assert.equal((await tenant.call('POST', '/mcp', mcp, accept)).status, 200)
    const seams = [
      '/v1/test/memory/seed',
      '/v1/test/memory/compact',
      `/v1/test/runs/${real.things['runs/{runId}']}/expire`,
    ]
    const none = [
      '/v1/none',
      '/none',
      '/v1/memories/a/b/c',
      '/v1/tenant',
      '/v1/tenant/none',
      '/console-none',
      '/docs-none',
    ]
    for (const path of [...seams, ...none]) {
      for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const body = verb === 'GET' || verb === 'DELETE' ? undefined : {}
        assertRefusal(`${verb} ${path}`, await server.as(null)(verb, path, body), 401, 'unauthenticated')
        assertRefusal(`${verb} ${path}`, await tenant.call(verb, path, body), 404)
      }
    }
  })
})
