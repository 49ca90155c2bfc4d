import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody } from './memories-calls.ts'
import { chain, noop, register } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'

for (const storage of storagesOfBehaviour) {
  describe(`idempotency keys of readers on ${storage}`, () => {
    const server = useServer({ storage })
    const bind = async (call: Call, reader: string) =>
      server.as((await call('POST', `${host}/keys`, { name: reader, scopes, reader })).body.key)

    test('the key of a call shows its outcome to no other reader, on any wire', async () => {
      const { call } = await server.tenant()
      await call('POST', '/v1/tenant/service-writers', {
        service_key: 'desk',
        authority_rules: { default_priority: 1 },
      })
      await call('POST', '/v1/tenant/service-writers', {
        service_key: 'mem0',
        authority_rules: { default_priority: 1 },
      })
      await register(call, chain('greet', [noop()]))
      const entry = (await call('POST', `${host}/memory/notes/entries`, { content: 'Known to all.' })).body.id
      const readers = ['ana']
      const soon = new Date(Date.now() + 86_400_000).toISOString()
      const writes: readonly [method: string, path: string, body: object][] = [
        ['POST', `${host}/memory/notes/entries`, { content: 'For Ana.', readers }],
        ['POST', `${host}/memory/notes/entries:batch`, { entries: [{ content: 'For Ana.', readers }] }],
        ['PATCH', `${host}/memory/notes/entries/${entry}`, { content: 'Known to all of us.' }],
        ['POST', '/v1/memories/add', { ...addBody('ada', 'I prefer tea.', { service: null }), readers }],
        ['POST', '/v1/runs', { workflowId: 'greet' }],
        ['POST', '/runs', { workflowId: 'greet' }],
        ['POST', `${host}/commitments`, { memoryRef: 'notes', intention: 'Call', at: soon }],
        ['POST', `${host}/heartbeats`, { predicate: 'count', memoryRef: 'notes', intervalSec: 3_600 }],
      ]
      for (const [index, [method, path, body]] of writes.entries()) {
        const [ana, ben] = [await bind(call, 'ana'), await bind(call, 'ben')]
        const version = path === '/runs' ? { 'openwop-version': '2.0' } : {}
        const headers = { ...version, 'idempotency-key': `a-key-of-a-call-${index}-0123456789` }
        const first = await ana(method, path, body, headers)
        assert.ok(first.status < 300, `${path}: ${first.text}`)
        const again = await ana(method, path, body, headers)
        assert.equal(again.status, first.status, `${path}: ${again.text}`)
        const ids = [...new Set(first.text.match(/(?:mem|job|run|src|com|hb)_[\w-]+/g) ?? [])]
        const other = await ben(method, path, body, headers)
        for (const id of ids.filter((one) => one !== entry))
          assert.ok(!other.text.includes(id), `${path}: ${other.text}`)
        assert.equal(other.status, 409, `${path}: ${other.text}`)
      }
    })

    test('an event that was sent for other readers is not answered with its ids', async () => {
      const { call } = await server.tenant()
      await call('POST', '/v1/tenant/service-writers', {
        service_key: 'desk',
        authority_rules: { default_priority: 1 },
      })
      const [ana, ben] = [await bind(call, 'ana'), await bind(call, 'ben')]
      const source = { service: 'desk', event_id: 'e-1' }
      const messages = [{ role: 'user', content: 'I prefer tea.' }]
      const body = { external_user_id: 'ada', messages, source, readers: ['ana'] }
      const first = await ana('POST', '/v1/memories/add', body)
      assert.equal(first.status, 202, first.text)
      assert.equal((await ana('POST', '/v1/memories/add', body)).body.job_id, first.body.job_id)
      assert.equal((await call('POST', '/v1/memories/add', body)).body.job_id, first.body.job_id)
      const other = await ben('POST', '/v1/memories/add', body)
      assert.equal(other.status, 409, other.text)
      assert.ok(!other.text.includes(first.body.job_id))
    })

    test('a call without a reader has the key that it always had', async () => {
      const { call } = await server.tenant()
      const headers = { 'idempotency-key': 'one' }
      const put = () => call('POST', `${host}/memory/notes/entries`, { content: 'Tea.' }, headers)
      assert.equal((await put()).body.id, (await put()).body.id)
    })
  })
}
