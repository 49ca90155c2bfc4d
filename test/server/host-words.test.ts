import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`

for (const storage of storagesOfBehaviour) {
  describe(`secrets and rules apply to what clients write, not to the host’s own words, on ${storage}`, () => {
    const server = useServer({ storage })

    test('a rule that matches its own name, or nearly everything, can be removed', async () => {
      for (const pattern of ['ticket', '[a-z]+', '[a-z_.:-]+', '.']) {
        const { call } = await server.tenant()
        assert.equal((await call('PUT', `${host}/rules/ticket`, { pattern })).status, 200)
        const listed = await call('GET', `${host}/rules`)
        assert.equal(listed.body?.rules?.[0]?.id, 'ticket', `${pattern}: ${listed.text.slice(0, 200)}`)
        const removed = await call('DELETE', `${host}/rules/ticket`)
        assert.deepEqual(removed.body, { deleted: true }, `${pattern}: ${removed.text}`)
        assert.equal((await call('POST', notes, { content: 'a ticket' })).body.content, 'a ticket')
      }
    })

    test('a secret equal to the name of a scope does not remove that scope from keys', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${host}/secrets/word`, { value: 'memory:read' })
      const made = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
      assert.deepEqual(made.scopes, ['memory:read'])
      assert.equal((await server.as(made.key)('GET', notes)).status, 200)
    })

    test('a secret equal to the name of a setting does not change the settings', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${host}/secrets/word`, { value: 'redaction_policy' })
      await call('PUT', `${host}/secrets/stored-word`, { value: 'redactionPolicy' })
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject', history_retention_days: 8 })
      const settings = (await call('GET', '/v1/tenant/settings')).body
      assert.deepEqual([settings.redaction_policy, settings.history_retention_days], ['reject', 8])
      assert.ok(!JSON.stringify(settings).includes('REDACTED'), JSON.stringify(settings))
    })

    test('a secret equal to a tag of the host does not hide the origin of an entry', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${host}/secrets/word`, { value: 'source:api' })
      const entry = (await call('POST', notes, { content: 'said source:api' })).body
      assert.deepEqual([entry.content, entry.tags], ['said [REDACTED:word]', ['source:api']])
    })

    test('a secret inside the name of an operation does not block that operation', async () => {
      const { call } = await server.tenant()
      for (const [index, value] of [
        'keys.create',
        'settings.change',
        'admin.key.created',
        'memory.written',
        'admin.settings.changed',
      ].entries()) {
        assert.equal((await call('PUT', `${host}/secrets/s${index}`, { value })).status, 204)
      }
      const keyed = { 'idempotency-key': 'one' }
      const calls = [
        call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] }, keyed),
        call('PATCH', '/v1/tenant/settings', { history_retention_days: 9 }, keyed),
        call('POST', notes, { content: 'x' }, keyed),
        call('GET', `${host}/audit`),
      ]
      for (const { status, text } of await Promise.all(calls)) assert.ok(status < 300, `${status} ${text}`)
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    })
  })
}
