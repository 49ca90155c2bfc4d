import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Answer, randomKey, storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const keys = `${host}/keys`
const keyed = (key: string) => ({ 'idempotency-key': key })

/** The second answer is the first again, and says so. */
function assertRepeated(first: Answer, second: Answer): void {
  assert.notEqual(first.headers.get('idempotent-replay'), 'true', first.text)
  assert.deepEqual([second.status, second.body], [first.status, first.body], second.text)
  assert.equal(second.headers.get('idempotent-replay'), 'true')
  assert.equal(second.headers.get('openwop-idempotent-replay'), 'true')
}

for (const storage of storagesOfBehaviour) {
  describe(`every administrative call honours its idempotency key on ${storage}`, () => {
    const server = useServer({ storage })

    test('a key is made once; only the first response shows it', async () => {
      const { call } = await server.tenant()
      const draft = { name: 'service', scopes: ['memory:read'] }
      const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', keys, draft, keyed('make'))))
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
      const shown = answers.filter(({ body }) => body.key !== undefined)
      assert.equal(shown.length, 1)
      for (const answer of answers) {
        assert.equal(answer.status, 201)
        assert.equal(answer.headers.get('idempotent-replay') === 'true', answer !== shown[0])
      }
      assertError(await call('POST', keys, { ...draft, name: 'other' }, keyed('make')), 409, 'idempotency_key_mismatch')
      assert.equal((await call('GET', keys)).body.keys.length, 2)
    })

    test('a rotation takes effect once, and making a key is another operation', async () => {
      const { call } = await server.tenant()
      const draft = { name: 'service', scopes: ['memory:read'] }
      const old = (await call('POST', keys, draft, keyed('same'))).body
      const rotate = () => call('POST', `${keys}/${old.id}:rotate`, {}, keyed('same'))
      const first = await rotate()
      assert.equal(first.status, 201)
      assert.notEqual(first.body.id, old.id, 'the rotation was taken for the making of the key')
      assertError(await server.as(old.key)('GET', `${host}/memory`), 401, 'key_revoked')
      const second = await rotate()
      assert.deepEqual([second.status, second.body.id], [201, first.body.id], second.text)
      assert.equal(second.headers.get('idempotent-replay'), 'true')
      assert.equal((await call('GET', keys)).body.keys.length, 3)
    })

    test('a repeated revocation gets the first response', async () => {
      const { call } = await server.tenant()
      const { id } = (await call('POST', keys, { name: 'service', scopes: ['memory:read'] })).body
      const revoke = () => call('DELETE', `${keys}/${id}`, undefined, keyed('revoke'))
      assertRepeated(await revoke(), await revoke())
    })

    test('a secret is put once, and a repeated removal gets the first response', async () => {
      const { call } = await server.tenant()
      const value = randomKey()
      const put = (text: string) => call('PUT', `${host}/secrets/one`, { value: text }, keyed('put'))
      const first = await put(value)
      assert.equal(first.status, 204)
      assertError(await put(randomKey()), 409, 'idempotency_key_mismatch')
      await call('DELETE', `${host}/secrets/one`)
      assertRepeated(first, await put(value))
      assert.deepEqual((await call('GET', `${host}/secrets`)).body.secrets, [], 'the repeat put it again')
      await call('PUT', `${host}/secrets/two`, { value })
      const remove = () => call('DELETE', `${host}/secrets/two`, undefined, keyed('remove'))
      const removed = await remove()
      assert.deepEqual(removed.body, { deleted: true })
      assertRepeated(removed, await remove())
    })

    test('a rule is put once, and a repeated removal gets the first response', async () => {
      const { call } = await server.tenant()
      const put = () => call('PUT', `${host}/rules/ticket`, { pattern: 'TCK-[0-9]{6}' }, keyed('put'))
      assertRepeated(await put(), await put())
      const remove = () => call('DELETE', `${host}/rules/ticket`, undefined, keyed('remove'))
      const removed = await remove()
      assert.deepEqual(removed.body, { deleted: true })
      assertRepeated(removed, await remove())
    })

    test('a change of settings is repeated, even when another caller changed others in between', async () => {
      const { call } = await server.tenant()
      const change = () => call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' }, keyed('change'))
      const first = await change()
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'rewrite', history_retention_days: 7 })
      const second = await change()
      assert.equal(second.status, 200, second.text)
      assert.equal(second.headers.get('idempotent-replay'), 'true')
      assert.notEqual(first.headers.get('idempotent-replay'), 'true')
      const settings = (await call('GET', '/v1/tenant/settings')).body
      assert.deepEqual([settings.redaction_policy, settings.history_retention_days], ['rewrite', 7])
    })

    test('a re-redaction pass is started once', async () => {
      const { call } = await server.tenant()
      const start = () => call('POST', `${host}/redactions`, { dryRun: true }, keyed('start'))
      assertRepeated(await start(), await start())
      assert.equal((await call('GET', `${host}/jobs`)).body.jobs.length, 1)
    })

    test('a tenant is made once', async () => {
      const operator = server.as(server.operatorKey)
      const make = () => operator('POST', `${host}/tenants`, { id: 'once' }, keyed('make'))
      const first = await make()
      const second = await make()
      assert.equal(second.status, 201, second.text)
      assert.equal(second.body.id, first.body.id)
      assert.equal(second.headers.get('idempotent-replay'), 'true')
      assert.equal(second.body.key.key, undefined, 'the key was shown twice')
    })
  })
}
