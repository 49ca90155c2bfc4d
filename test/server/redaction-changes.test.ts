import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const secrets = `${host}/secrets`
const notes = `${host}/memory/notes/entries`

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('concurrent puts of secrets are all stored', async () => {
      const { call } = await server.tenant()
      const puts = Array.from({ length: 20 }, (_, index) =>
        call('PUT', `${secrets}/s${index}`, { value: plainSecretValue() }),
      )
      const failed = (await Promise.all(puts))
        .filter(({ status }) => status !== 204)
        .map(({ status, text }) => `${status} ${text}`)
      assert.deepEqual(failed, [])
      assert.equal((await call('GET', secrets)).body.secrets.length, 20)
    })

    test('concurrent changes of settings are all applied', async () => {
      const { call } = await server.tenant()
      const wanted = {
        redaction_policy: 'reject',
        session_summary: false,
        history_retention_days: 7,
        default_writer_priority: 9,
      }
      const changes = Object.entries(wanted).map(([name, value]) =>
        call('PATCH', '/v1/tenant/settings', { [name]: value }),
      )
      for (const { status, text } of await Promise.all(changes)) assert.equal(status, 200, text)
      assert.partialDeepStrictEqual((await call('GET', '/v1/tenant/settings')).body, wanted)
    })

    test('writes to memory continue while secrets change', async () => {
      const { call } = await server.tenant()
      const changes = Array.from({ length: 20 }, (_, index) =>
        call('PUT', `${secrets}/s${index}`, { value: plainSecretValue() }),
      )
      const puts = Array.from({ length: 20 }, (_, index) => call('POST', notes, { content: `entry ${index}` }))
      await Promise.all(changes)
      const failed = (await Promise.all(puts))
        .filter(({ status }) => status !== 201)
        .map(({ status, text }) => `${status} ${text}`)
      assert.deepEqual(failed, [])
    })

    test('a tenant that rejects secrets stores nothing of a write that contains one', async () => {
      const { call } = await server.tenant()
      const value = plainSecretValue()
      await call('PUT', `${secrets}/crm`, { value })
      const pattern = `AKIA${'ABCDEFGH'}${'IJKLMNOP'}`
      assert.equal(
        (await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })).body.redaction_policy,
        'reject',
      )
      const drafts = [value, Buffer.from(value).toString('base64'), pattern].map((text) => ({ content: `key ${text}` }))
      for (const draft of [...drafts, { content: 'x', tags: [value] }]) {
        const refused = await call('POST', notes, draft)
        assertError(refused, 422, 'secret_leakage')
        assert.ok(!refused.text.includes(value) && !refused.text.includes(pattern), refused.text)
        assertError(
          await call('POST', `${notes}:batch`, { entries: [{ content: 'fine' }, draft] }),
          422,
          'secret_leakage',
        )
      }
      assertError(
        await call('POST', `${host}/keys`, { name: `for ${value}`, scopes: ['memory:read'] }),
        422,
        'secret_leakage',
      )
      assert.deepEqual((await call('GET', notes)).body.entries, [])
      assert.equal((await call('POST', notes, { content: 'fine' })).status, 201)
      assertProvenanceError(await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'ask' }), 422)
    })

    test('a changed policy applies from the call that changes it, not from a later write', async () => {
      const { call } = await server.tenant()
      const value = plainSecretValue()
      const put = (ref: string, content: string) => call('POST', `${host}/memory/${ref}/entries`, { content })
      await call('PUT', `${secrets}/crm`, { value })
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })
      assertError(await put('notes', value), 422, 'secret_leakage')
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'rewrite' })
      const rewritten = await put('notes', value)
      assert.equal(rewritten.body.content, '[REDACTED:crm]', rewritten.text)
      assertError(await put(`of-${value}`, 'x'), 422, 'secret_leakage')
      await call('DELETE', `${secrets}/crm`)
      const free = await put(`of-${value}`, 'x')
      assert.equal(free.status, 201, free.text)
    })
  })
}
