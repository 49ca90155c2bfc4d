import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const entriesOf = (ref: string) => `${host}/memory/${encodeURIComponent(ref)}/entries`

/** Each of these is a ref of its own, however alike they look to a router or a file system. */
const refs = [
  ...'a A a/b a%2Fb a//b /a a/ a:b a:batch :rotate a+b a%20b a?b a#b a&b=c a. a...b ..a " \\ * :ref'.split(' '),
  ...['a b', "o'brien", '__proto__', 'constructor', 'agent:planner://42', 'https://example.com/u/1?x=1#y'],
  ...['\u00e9', 'e\u0301', '\u{1f375}', '日本', 'x'.repeat(256)],
]

/** None of these can be a ref. */
const malformed = [
  ...'../a a/.. a/../b a\\..\\b'.split(' '),
  ...['a\u0000b', '\u0000', 'a\nb', '\u007f', '\u0085', 'x'.repeat(257), 'x'.repeat(3_000)],
]

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('every well-formed ref is separate from the others, whatever its characters', async () => {
      const { call } = await server.tenant()
      for (const ref of refs) {
        const put = await call('POST', entriesOf(ref), { content: `of ${ref}` })
        assert.equal(put.status, 201, `${ref}: ${put.text}`)
      }
      for (const ref of refs) {
        const { entries } = (await call('GET', entriesOf(ref))).body
        assert.deepEqual(
          entries.map((entry: { content: string }) => entry.content),
          [`of ${ref}`],
        )
        assert.equal((await call('GET', `/v1/memory/${encodeURIComponent(ref)}`)).body.entries.length, 1)
        assert.equal((await call('GET', `${entriesOf(ref)}/${entries[0].id}/colophon`)).body.memoryRef, ref)
        assert.equal((await call('GET', `${entriesOf('none')}/${entries[0].id}`)).status, 404)
      }
      const known = (await call('GET', `${host}/memory`)).body.refs.map((ref: { memoryRef: string }) => ref.memoryRef)
      assert.deepEqual(known.toSorted(), refs.toSorted())
    })

    test('reading a malformed ref finds nothing, and writing to one returns the reason', async () => {
      const { call } = await server.tenant()
      for (const ref of malformed) {
        const name = JSON.stringify(ref.slice(0, 20))
        const list = await call('GET', entriesOf(ref))
        assert.deepEqual([list.status, list.body?.entries], [200, []], `${name}: ${list.text}`)
        assert.deepEqual((await call('GET', `/v1/memory/${encodeURIComponent(ref)}`)).body, { entries: [] }, name)
        assertError(await call('GET', `${entriesOf(ref)}/none`), 404, 'not_found')
        assertError(await call('GET', `${entriesOf(ref)}/none/colophon`), 404, 'not_found')
        assert.deepEqual((await call('DELETE', `${entriesOf(ref)}/none`)).body, { deleted: false }, name)
        const refused = await call('POST', entriesOf(ref), { content: 'x' })
        assertError(refused, 400, 'validation_error')
        assert.ok(!refused.text.includes(JSON.stringify(ref).slice(1, -1)), 'the ref is not repeated')
        assertError(
          await call('POST', `${entriesOf(ref)}:batch`, { entries: [{ content: 'x' }] }),
          400,
          'validation_error',
        )
      }
      assert.deepEqual((await call('GET', `${host}/memory`)).body.refs, [])
    })

    test('a ref that is longer than the path limit is refused in the error envelope', async () => {
      const { call } = await server.tenant()
      for (const length of [6_001, 9_000]) {
        const list = await call('GET', entriesOf('x'.repeat(length)))
        if (list.status === 200) assert.deepEqual(list.body.entries, [])
        else assertError(list, list.status)
        assert.ok(list.status < 500)
        assert.ok(list.text.length < 2_000, 'the path is not repeated')
      }
    })

    test('clients cannot write to the host’s own refs, and cannot forge the origin of a memory', async () => {
      const { call } = await server.tenant()
      for (const ref of ['subject:ada', 'scratch:run_1:agent', 'conversation:run_1', 'runs:workflow']) {
        assertError(await call('POST', entriesOf(ref), { content: 'x' }), 400, 'validation_error')
      }
      const forged = [
        'source:run',
        'source:session',
        'source:api',
        'source:compaction',
        'source:service:crm',
        'compacted-from:x',
        'openwop.x',
      ]
      for (const tag of forged) {
        assertError(await call('POST', entriesOf('notes'), { content: 'x', tags: [tag] }), 400, 'validation_error')
      }
      assert.equal((await call('POST', entriesOf('notes'), { content: 'x', tags: ['source:web'] })).status, 201)
    })

    test('names with characters that a database cannot store are refused or not found, never an internal error', async () => {
      const { call } = await server.tenant()
      const operator = server.as(server.operatorKey)
      for (const name of ['%00', 'a%00b', '%ED%A0%80', '%F0%9F%8D%B5', 'x'.repeat(2_000)]) {
        const calls = [
          call('GET', `${host}/memory?cursor=${name}`),
          call('GET', `${host}/memory/notes/entries?cursor=${name}`),
          call('GET', `${host}/memory/notes/entries?tag=${name}`),
          call('GET', `${host}/memory/notes/entries/${name}`),
          call('DELETE', `${host}/memory/notes/entries/${name}`),
          call('GET', `${host}/audit?cursor=${name}`),
          call('GET', `${host}/jobs?cursor=${name}`),
          call('GET', `${host}/jobs/${name}`),
          call('POST', `${host}/jobs/${name}:cancel`),
          ...['keys', 'secrets', 'rules'].map((kind) => call('DELETE', `${host}/${kind}/${name}`)),
          call('POST', `${host}/keys/${name}:rotate`, {}),
          call('PUT', `${host}/secrets/${name}`, { value: 'long enough' }),
          operator('GET', `${host}/tenants?cursor=${name}`),
          operator('POST', `${host}/tenants/${name}:disable`),
          call('GET', `${host}/memory`, undefined, { authorization: `Bearer ${name}` }),
        ]
        for (const { status, text } of await Promise.all(calls)) assert.ok(status < 500, `${name}: ${status} ${text}`)
      }
    })
  })
}
