import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, memoriesOf } from './memories-calls.ts'
import { chain, ended, host, put, register, startRun } from './runs-calls.ts'

after(releaseServer)

const entries = `${host}/memory/notes/entries`

for (const storage of storagesOfBehaviour) {
  describe(`revising entries (${storage})`, () => {
    const server = useServer({ storage })

    test('PATCH makes the next version under the same id, once for each idempotency key', async () => {
      const { call } = await server.tenant()
      const { id, createdAt } = (await call('POST', entries, { content: 'one', tags: ['a'] })).body
      const patch = (body: object, key?: string) =>
        call('PATCH', `${entries}/${id}`, body, key === undefined ? {} : { 'idempotency-key': key })
      const revised = await patch({ content: 'two' }, 'k')
      assert.equal(revised.status, 200, revised.text)
      assert.deepEqual(revised.body, { id, content: 'two', tags: ['a', 'source:api'], createdAt })
      const again = await patch({ content: 'two' }, 'k')
      assert.deepEqual([again.body, again.headers.get('idempotent-replay')], [revised.body, 'true'])
      assert.deepEqual((await patch({ tags: [] })).body.tags, ['source:api'])
      assert.equal((await call('GET', `${entries}/${id}/colophon`)).body.version, 3)
      assert.equal((await call('GET', entries)).body.entries.length, 1)
      assertError(await patch({ content: 'other' }, 'k'), 409, 'idempotency_key_mismatch')
      for (const body of [{}, { content: '' }, { tags: ['source:run'] }, { expiresAt: '2030-01-01T00:00:00Z' }])
        assertError(await patch(body), 400, 'validation_error')
      assertError(await call('PATCH', `${entries}/mem_none`, { content: 'x' }), 404, 'not_found')
      assertError(await (await server.tenant()).call('PATCH', `${entries}/${id}`, { content: 'x' }), 404, 'not_found')
    })

    test('a key with write but not read scope does not get the content of what it revised', async () => {
      const { call } = await server.tenant()
      const { id } = (await call('POST', entries, { content: 'of somebody else' })).body
      const { key } = (await call('POST', `${host}/keys`, { name: 'writer', scopes: ['memory:write'] })).body
      const { status, body } = await server.as(key)('PATCH', `${entries}/${id}`, { tags: ['b'] })
      assert.deepEqual([status, 'content' in body, body.tags], [200, false, ['b', 'source:api']])
    })

    test('memories about people cannot be revised outside of their claims', async () => {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      await memories.writer('chat')
      await memories.ingest('ada', 'dark mode')
      const { id, memory_ref } = await memories.winner('ada')
      const path = `${host}/memory/${encodeURIComponent(memory_ref)}/entries/${id}`
      assertError(await call('PATCH', path, { content: 'light mode' }), 400, 'validation_error')
      assert.equal((await memories.winner('ada')).content, 'dark mode')
    })

    test('empty content is refused on every path', async () => {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      await memories.writer('chat')
      await memories.ingest('ada', 'dark mode')
      const { id } = await memories.winner('ada')
      const kept = (await call('POST', entries, { content: 'kept' })).body
      const refused = [
        await call('POST', entries, { content: '' }),
        await call('POST', `${entries}:batch`, { entries: [{ content: 'a' }, { content: '' }] }),
        await call('PATCH', `${entries}/${kept.id}`, { content: '' }),
        await call('PATCH', `/v1/memories/${id}`, { content: '' }),
        await call('POST', '/v1/memories/add', addBody('ada', '')),
      ]
      for (const { status, text } of refused) {
        assert.ok(status === 400 || status === 422, text)
        assert.match(text, /content must not be empty/)
      }
      await register(call, chain('says-nothing', [put('put', '{{inputs.text}}')]))
      const run = await ended(call, await startRun(call, 'says-nothing', { inputs: { text: '' } }))
      assert.equal(run.status, 'failed', JSON.stringify(run))
      assert.equal((await call('GET', entries)).body.entries.length, 1)
    })
  })
}
