import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '../../src/core/limits.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { type Answer, createHome, type Home, randomKey } from '../support/server.ts'
import { launchServer, printedKey, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { chain, noop, register } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`

describe('a change at one server on a database applies at the other at once', () => {
  let home: Home
  let left: ServerProcess
  let right: ServerProcess
  before(async () => {
    home = await createHome('postgres')
    const env = {
      COLOPHON_BOOTSTRAP_KEY: randomKey(),
      COLOPHON_OPERATOR_KEY: randomKey(),
      COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
    }
    left = await startServerProcess({ home, env })
    right = await startServerProcess({ home, env })
  })
  after(async () => {
    for (const part of [left, right, home]) await part[Symbol.asyncDispose]()
  })

  /** Keys and tenants are refused at once by the server that changed them, and by the other one within 250 ms. */
  const cached = () => wait(limits.credentialCacheMs)

  test('the caches of keys and tenants are within their bound', () => assert.ok(limits.credentialCacheMs <= 250))

  test('keys', async () => {
    const { call, key } = await left.tenant()
    assert.equal((await right.as(key)('GET', notes)).status, 200)
    const made = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
    assert.equal((await right.as(made.key)('GET', notes)).status, 200)
    await call('DELETE', `${host}/keys/${made.id}`)
    assertError(await left.as(made.key)('GET', notes), 401, 'key_revoked')
    await cached()
    assertError(await right.as(made.key)('GET', notes), 401, 'key_revoked')
  })

  test('tenants', async () => {
    const { id, key } = await left.tenant()
    assert.equal((await right.as(key)('GET', notes)).status, 200)
    await left.as(left.operatorKey)('POST', `${host}/tenants/${id}:disable`)
    assertError(await left.as(key)('GET', notes), 401, 'unauthenticated')
    await cached()
    assertError(await right.as(key)('GET', notes), 401, 'unauthenticated')
    await right.as(right.operatorKey)('POST', `${host}/tenants/${id}:enable`)
    await cached()
    assert.equal((await left.as(key)('GET', notes)).status, 200)
  })

  test('secrets, rules and the policy, in writes, refusals and dry tests', async () => {
    const { call, key } = await left.tenant()
    const there = right.as(key)
    const value = plainSecretValue()
    const tried = async (text: string) => (await there('POST', `${host}/rules:test`, { text })).body.text
    assert.equal((await there('POST', notes, { content: value })).body.content, value)
    await call('PUT', `${host}/secrets/crm`, { value })
    assert.equal(await tried(value), '[REDACTED:crm]')
    assertError(await there('POST', `${host}/memory/${value}/entries`, { content: 'x' }), 422, 'secret_leakage')
    await call('PUT', `${host}/rules/ticket`, { pattern: 'TCK-[0-9]{6}' })
    assert.equal(await tried('TCK-123456'), '[REDACTED:ticket]')
    await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })
    assertError(await there('POST', notes, { content: 'TCK-123456' }), 422, 'secret_leakage')
    await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'rewrite' })
    assert.equal((await there('POST', notes, { content: 'TCK-123456' })).body.content, '[REDACTED:ticket]')
    await call('DELETE', `${host}/secrets/crm`)
    await call('DELETE', `${host}/rules/ticket`)
    assert.equal(await tried(`${value} TCK-123456`), `${value} TCK-123456`)
    const free = await there('POST', `${host}/memory/${value}/entries`, { content: 'x' })
    assert.equal(free.status, 201, free.text)
  })

  test('one idempotency key has one response, whichever server is asked, for a run and for a refusal', async () => {
    const { call, key } = await left.tenant()
    await register(call, chain('quick', [noop()]))
    const callers = [call, right.as(key), call, right.as(key)]
    const header = { 'idempotency-key': randomBytes(16).toString('base64url') }
    const replays = (answers: readonly Answer[]) =>
      answers.map(({ headers }) => headers.get('openwop-idempotent-replay') === 'true').sort()
    const race = (draft: object, headers: Record<string, string>) =>
      Promise.all(callers.map((post) => post('POST', '/runs', draft, headers)))
    const made = await race({ workflowId: 'quick' }, header)
    assert.deepEqual([...new Set(made.map(({ status, body }) => `${status} ${body.runId}`))].length, 1)
    assert.deepEqual(replays(made), [false, true, true, true])
    const refusedHeader = { 'idempotency-key': randomBytes(16).toString('base64url') }
    const refused = await race({ workflowId: 'later' }, refusedHeader)
    for (const answer of refused) assertError(answer, 404, 'not_found')
    assert.deepEqual(replays(refused), [false, true, true, true])
    await register(call, chain('later', [noop()]))
    const after = await race({ workflowId: 'later' }, refusedHeader)
    for (const answer of after) assertError(answer, 404, 'not_found')
    assert.deepEqual(replays(after), [true, true, true, true])
  })
})

test('two servers that start at once on a new database print one key in total, and it works on both', async () => {
  await using home = await createHome('postgres')
  const children = [1, 2].map(() => launchServer({ ...home.env, COLOPHON_PORT: '0' }))
  try {
    const urls = await Promise.all(children.map((child) => child.listening))
    const keys = children.map((child) => printedKey(child.logs())).filter((key) => key !== null)
    assert.equal(keys.length, 1, children.map((child) => child.logs()).join('\n'))
    for (const url of urls) {
      const answer = await fetch(`${url}${notes}`, { headers: { authorization: `Bearer ${keys[0]}` } })
      assert.equal(answer.status, 200)
    }
  } finally {
    await Promise.all(children.map((child) => child.signal('SIGKILL')))
  }
})
