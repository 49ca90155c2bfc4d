import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { holds, plainSecretValue, storedBytes } from '../support/secret-forms.ts'
import { createHome, type Home, startServer, type Tenant, type TestServer } from '../support/server.ts'
import { host, keyed } from './runs-calls.ts'

const canary = 'CANARY-do-not-repeat'
const good = { url: 'https://hooks.example.com/in?token=x', events: ['run.completed'] }

const privateUrls = [
  'http://hooks.example.com/',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://intranet/',
  'https://db.internal/',
  'https://printer.local/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://metadata.google.internal/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[64:ff9b::7f00:1]/',
  `https://user:${canary}@hooks.example.com/`,
  'https://hooks.example.com:0/',
]

describe('registration of webhooks', () => {
  let home: Home
  let server: TestServer
  let tenant: Tenant
  before(async () => {
    home = await createHome('sqlite')
    server = await startServer({ home })
    tenant = await server.tenant()
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  const refuse = async (draft: unknown, code = 'validation_error', status = 400) => {
    const answer = await tenant.call('POST', '/v1/webhooks', typeof draft === 'string' ? draft : JSON.stringify(draft))
    assert.equal(answer.status, status, `${JSON.stringify(draft)}: ${answer.text}`)
    assertError(answer, status, code)
    assert.ok(!answer.text.includes(canary) && !answer.text.includes('example.com'), answer.text)
    return answer
  }

  test('an address in a private network, or without https, is refused', async () => {
    for (const url of privateUrls) await refuse({ ...good, url }, 'webhook_url_rejected')
  })

  test('a webhook without an address or events, or with invalid members, is refused', async () => {
    for (const text of ['', '{', 'null', '[]', '1', '{}']) await refuse(text)
    for (const url of [
      undefined,
      null,
      1,
      '',
      'hooks.example.com',
      canary,
      '//hooks.example.com',
      'https://',
      'https://hooks.exam ple.com/',
      'https://hooks.example.com/\n',
      {},
      [good.url],
      `https://hooks.example.com/${'x'.repeat(10_000)}`,
    ])
      await refuse({ ...good, url })
    const names = Array.from({ length: 101 }, (_, index) => `name.${index}`)
    for (const wrong of [null, 'run.completed', {}, [], [1], [null], [''], ['x'.repeat(257)], ['a\u0000'], names]) {
      await refuse({ ...good, events: wrong })
      await refuse({ ...good, tags: wrong })
    }
    await refuse({ url: good.url })
    for (const secret of [null, 1, '', 'too short', 'x'.repeat(5_000), {}, `${'x'.repeat(16)}\u0000`])
      await refuse({ ...good, secret })
    assertError(await tenant.call('POST', '/v1/webhooks?tenantId=x', good), 400, 'validation_error')
  })

  test('webhooks of another tenant cannot be made or removed', async () => {
    const other = await server.tenant()
    for (const tenantId of [other.id, 'default', 'none', '', null, 1, {}])
      await refuse({ ...good, tenantId }, 'tenant_membership_required', 403)
    const mine = (await tenant.call('POST', '/v1/webhooks', { ...good, tenantId: tenant.id })).body.webhookId
    assertError(await other.call('DELETE', `/v1/webhooks/${mine}`), 404, 'subscription_not_found')
    assertError(
      await other.call('DELETE', `/v1/webhooks/${mine}?tenantId=${tenant.id}`),
      403,
      'tenant_membership_required',
    )
    assertError(
      await tenant.call('DELETE', `/v1/webhooks/${mine}?tenantId=${other.id}`),
      403,
      'tenant_membership_required',
    )
    assert.equal((await tenant.call('DELETE', `/v1/webhooks/${mine}?tenantId=${tenant.id}`)).status, 204)
    for (const id of [mine, 'wh_none', 'x'.repeat(3_000), '%20', '__proto__'])
      assertError(await tenant.call('DELETE', `/v1/webhooks/${id}`), 404, 'subscription_not_found')
  })

  test('the signing secret is shown once and stored only sealed', async () => {
    const made = await tenant.call('POST', '/v1/webhooks', { ...good, unknown: 1 })
    assert.equal(made.status, 201)
    assert.deepEqual(Object.keys(made.body).sort(), ['secret', 'secretFingerprint', 'webhookId'])
    assert.match(made.body.secret, /^[0-9a-f]{64}$/)
    assert.match(made.body.secretFingerprint, /^[0-9a-f]{8}$/)
    const own = plainSecretValue()
    const given = await tenant.call('POST', '/v1/webhooks', { ...good, secret: own })
    assert.equal(given.body.secret, own)
    const stored = await storedBytes(home)
    for (const secret of [made.body.secret, own]) {
      assert.ok(!holds(stored, secret), 'stored in clear')
      assert.ok(!holds(server.logs(), secret), 'logged')
      assert.ok(!holds((await tenant.call('GET', `${host}/audit`)).text, secret), 'in the audit')
    }
    assert.ok(stored.includes(given.body.secretFingerprint))
  })

  test('a URL that contains a secret is stored sealed; events and tags that contain one are refused', async () => {
    const { call } = await server.tenant()
    const value = plainSecretValue()
    await call('PUT', `${host}/secrets/known`, { value })
    const made = await call('POST', '/v1/webhooks', { ...good, url: `${good.url}${value}` })
    assert.equal(made.status, 201, made.text)
    for (const draft of [{ events: [value] }, { tags: ['plain', value] }]) {
      const answer = await call('POST', '/v1/webhooks', { ...good, ...draft })
      assertError(answer, 422, 'secret_leakage')
      assert.ok(!holds(answer.text, value))
    }
    for (const shown of [await call('GET', `${host}/audit`), await call('GET', `${host}/jobs`)])
      assert.ok(!holds(shown.text, value), shown.text)
    assert.ok(!holds(await storedBytes(home), value), 'stored in clear')
  })

  test('the first webhook of a tenant is made, also by concurrent calls', async () => {
    for (const _tenant of Array.from({ length: 8 })) {
      const { call } = await server.tenant()
      const made = await Promise.all(Array.from({ length: 40 }, () => call('POST', '/v1/webhooks', good)))
      for (const { status, text } of made) assert.equal(status, 201, text)
    }
  })

  /** A tenant with so many webhooks. The first is made alone: concurrent first ones are another test. */
  const tenantWith = async (count: number) => {
    const { call } = await server.tenant()
    const create = (key: string) => call('POST', '/v1/webhooks', good, keyed(key))
    const first = await create('0')
    const made = await Promise.all(Array.from({ length: count - 1 }, (_, index) => create(`${index + 1}`)))
    for (const { status, text } of [first, ...made]) assert.equal(status, 201, text)
    return create
  }

  test('a tenant has at most a hundred webhooks', async () => {
    const create = await tenantWith(99)
    assert.equal((await create('last')).status, 201)
    const answer = await create('one more')
    assertError(answer, 400, 'validation_error')
    assert.equal(answer.body.details.limit, 'webhooksPerTenantMax')
  })

  test('the hundredth webhook is returned again for its idempotency key', async () => {
    const create = await tenantWith(99)
    const [first, again] = [await create('last'), await create('last')]
    assert.deepEqual([again.status, again.body.webhookId], [201, first.body.webhookId])
  })

  test('concurrent calls make at most a hundred webhooks', async () => {
    const create = await tenantWith(90)
    const made = await Promise.all(Array.from({ length: 30 }, (_, index) => create(`more ${index}`)))
    assert.equal(made.filter(({ status }) => status === 201).length, 10)
  })
})
