import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, memoriesOf } from './memories-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const keys = `${host}/keys`
const notes = `${host}/memory/notes`
const contents = (page: { entries: { content: string }[] }) => page.entries.map(({ content }) => content)

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })
    const bind = async (call: Call, reader: string) =>
      server.as((await call('POST', keys, { name: reader, scopes, reader })).body.key)

    test('what a reader cannot see is not there: in lists, by id, in search, in counts, at any time', async () => {
      const { call } = await server.tenant()
      const put = async (content: string, readers?: readonly string[]) =>
        (await call('POST', `${notes}/entries`, { content, readers })).body.id as string
      await put('Tea for all.')
      const id = await put('Tea for Ana.', ['ana'])
      await put('Tea for nobody.', [])
      const { position } = (await call('GET', `${notes}/entries`)).body
      const ana = await bind(call, 'ana')
      const ben = await bind(call, 'ben')
      assert.deepEqual(contents((await ana('GET', `${notes}/entries`)).body), ['Tea for Ana.', 'Tea for all.'])
      assert.deepEqual(contents((await ben('GET', `${notes}/entries`)).body), ['Tea for all.'])
      assert.deepEqual(contents((await call('GET', `${notes}/entries?reader=ben`)).body), ['Tea for all.'])
      assert.deepEqual(contents((await call('GET', '/v1/memory/notes?reader=ben')).body), ['Tea for all.'])
      assert.equal((await call('GET', `${notes}/entries`)).body.entries.length, 3)
      assert.deepEqual(contents((await ben('GET', `${notes}/entries?asOf=${position}`)).body), ['Tea for all.'])
      assert.equal((await ana('GET', `${notes}/entries/${id}`)).status, 200)
      assertError(await ben('GET', `${notes}/entries/${id}`), 404, 'not_found')
      assertError(await ben('GET', `${notes}/entries/${id}/colophon`), 404, 'not_found')
      assert.deepEqual((await ana('GET', `${notes}/entries/${id}/colophon`)).body.readers, ['ana'])
      assertError(await ben('PATCH', `${notes}/entries/${id}`, { content: 'x' }), 404, 'not_found')
      assert.deepEqual((await ben('DELETE', `${notes}/entries/${id}`)).body, { deleted: false })
      const found = (await ana('POST', `${notes}/search`, { query: 'tea' })).body.results
      assert.deepEqual(found.map((hit: { readers?: string[] }) => hit.readers ?? null).sort(), [['ana'], null])
      assert.equal((await ben('POST', `${notes}/search`, { query: 'tea' })).body.results.length, 1)
      assert.equal((await call('POST', `${notes}/search`, { query: 'tea', reader: 'ben' })).body.results.length, 1)
      assert.deepEqual(
        (await ben('GET', `${host}/memory`)).body.refs.map((ref: { entries: number }) => ref.entries),
        [1],
      )
    })

    test('a bound key names no other reader, grants only keys of its reader, and keeps it in a rotation', async () => {
      const { call } = await server.tenant()
      const { id, key } = (await call('POST', keys, { name: 'ana', scopes, reader: 'ana' })).body
      const ana = server.as(key)
      assertError(await ana('GET', `${notes}/entries?reader=ben`), 403, 'reader_forbidden')
      assertProvenanceError(
        await ana('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'x', reader: 'ben' }),
        403,
        'reader_forbidden',
      )
      assert.equal((await ana('GET', `${notes}/entries?reader=ana`)).status, 200)
      assertError(
        await ana('POST', keys, { name: 'ben', scopes: ['memory:read'], reader: 'ben' }),
        403,
        'reader_forbidden',
      )
      const inherited = (await ana('POST', keys, { name: 'more', scopes: ['memory:read'] })).body
      assert.equal(inherited.reader, 'ana')
      const listed = (await ana('GET', keys)).body.keys
      assert.deepEqual(
        listed.map((item: { reader?: string }) => item.reader),
        ['ana', 'ana'],
      )
      const rotated = (await call('POST', `${keys}/${id}:rotate`, {})).body
      assert.equal(rotated.reader, 'ana')
      assertError(await server.as(rotated.key)('GET', `${notes}/entries?reader=ben`), 403, 'reader_forbidden')
      const first = (await call('GET', keys)).body.keys[0].id
      assertError(await server.as(rotated.key)('DELETE', `${keys}/${first}`), 404, 'not_found')
      assertError(await call('POST', keys, { name: 'x', scopes: ['memory:read'], reader: '' }), 400, 'validation_error')
    })

    test('readers of a call and of its messages: each memory, its source and its claim are seen by its readers only', async () => {
      const { call } = await server.tenant()
      const { ingest, writer } = memoriesOf(call)
      await writer('chat', 50)
      const messages = [
        { role: 'user', content: 'Prefers the window seat.', category: 'preference', claim_key: 'seat' },
        {
          role: 'user',
          content: 'Is looking for another job.',
          category: 'goal',
          claim_key: 'job',
          readers: ['hr', 'ana'],
        },
      ]
      await ingest('ada', '', { body: { messages, readers: ['ana', 'ben'] } })
      const list = async (as: Call, query = '') =>
        (await as('GET', `/v1/memories?external_user_id=ada${query}`)).body.data as { id: string; content: string }[]
      const [ana, ben, hr] = await Promise.all(['ana', 'ben', 'hr'].map((reader) => bind(call, reader)))
      assert.ok(ana && ben && hr)
      assert.deepEqual(
        (await list(ben)).map(({ content }) => content),
        ['Prefers the window seat.'],
      )
      assert.deepEqual(
        (await list(hr)).map(({ content }) => content),
        ['Is looking for another job.'],
      )
      assert.equal((await list(ana)).length, 2)
      assert.equal((await list(call, '&reader=nobody')).length, 0)
      const [job] = await list(hr)
      for (const path of ['', '/history', '/sources'])
        assertProvenanceError(await ben('GET', `/v1/memories/${job?.id}${path}`), 404, 'not_found')
      // The event has a message for each of them: only a reader of both sees it.
      assert.equal((await ana('GET', '/v1/tenant/source-events')).body.data.length, 1)
      assert.equal((await hr('GET', '/v1/tenant/source-events')).body.data.length, 0)
      const [event] = (await call('GET', '/v1/tenant/source-events')).body.data
      assertProvenanceError(await hr('GET', `/v1/tenant/source-events/${event.id}`), 404, 'not_found')
      assert.equal((await ben('GET', `${host}/claims`)).body.claims.length, 1)
      assert.equal((await ana('GET', `${host}/claims`)).body.claims.length, 2)
      const retrieved = await ben('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'job seat' })
      assert.equal(retrieved.body.data.length, 1)
      assert.ok(!retrieved.body.system_prompt_addition.includes('job'))
      for (const readers of ['ana', [7], [''], Array.from({ length: 65 }, (_, at) => `r${at}`)])
        assertProvenanceError(
          await call('POST', '/v1/memories/add', addBody('ada', 'x', { body: { readers } })),
          422,
          'validation_error',
        )
    })

    test('if the winner of a claim is hidden, the reader sees no winner, and nothing of the hidden content', async () => {
      const { call } = await server.tenant()
      const { ingest, writer } = memoriesOf(call)
      await writer('low', 10)
      await writer('high', 90)
      await ingest('ada', 'Light theme.', { service: 'low' })
      await ingest('ada', 'Dark theme.', { service: 'high', body: { readers: ['ana'] } })
      const ben = await bind(call, 'ben')
      assert.equal((await ben('GET', '/v1/memories?external_user_id=ada')).body.data.length, 0)
      const [claim] = (await ben('GET', `${host}/claims`)).body.claims
      assert.deepEqual([claim.winner, claim.status, claim.contents.length], [null, 'open', 1])
      assert.ok(!JSON.stringify(claim).includes('Dark'))
      const [old] = (await ben('GET', '/v1/memories?external_user_id=ada&include_superseded=true')).body.data
      assert.equal(old.content, 'Light theme.')
      const colophon = await ben('GET', `${host}/memory/subject%3Aada/entries/${old.id}/colophon`)
      assert.ok(!/Dark|"high"|priority 90/.test(colophon.text), colophon.text)
    })

    test('PATCH readers takes effect at once, in the whole history; only the author or an administrator adds readers', async () => {
      const { call } = await server.tenant()
      const writer = server.as(
        (await call('POST', keys, { name: 'w', scopes: ['memory:read', 'memory:write'] })).body.key,
      )
      const other = server.as(
        (await call('POST', keys, { name: 'o', scopes: ['memory:read', 'memory:write'] })).body.key,
      )
      const { id } = (await writer('POST', `${notes}/entries`, { content: 'Salary 1.' })).body
      const first = (await call('GET', `${notes}/entries`)).body.position
      await writer('PATCH', `${notes}/entries/${id}`, { content: 'Salary 2.' })
      const before = (await call('GET', `${notes}/entries`)).body.position
      assert.equal((await other('PATCH', `${notes}/entries/${id}`, { readers: ['ana', 'ben'] })).status, 200)
      const ben = await bind(call, 'ben')
      assert.equal((await ben('GET', `${notes}/entries/${id}`)).status, 200)
      assertError(await other('PATCH', `${notes}/entries/${id}`, { readers: ['ana', 'cleo'] }), 403, 'reader_forbidden')
      assertError(await other('PATCH', `${notes}/entries/${id}`, { readers: null }), 403, 'reader_forbidden')
      assert.equal((await other('PATCH', `${notes}/entries/${id}`, { readers: ['ana'] })).status, 200)
      for (const asOf of ['', `?asOf=${before}`, `?asOf=${first}`])
        assertError(await ben('GET', `${notes}/entries/${id}${asOf}`), 404, 'not_found')
      const ana = await bind(call, 'ana')
      assert.equal((await ana('GET', `${notes}/entries/${id}?asOf=${first}`)).body.content, 'Salary 1.')
      const { story } = (await call('GET', `${notes}/entries/${id}/colophon`)).body
      assert.ok(story.some(({ step }: { step: string }) => step === 'readers'))
      assert.equal((await writer('PATCH', `${notes}/entries/${id}`, { readers: null })).status, 200)
      assert.equal((await ben('GET', `${notes}/entries/${id}`)).status, 200)
      assertError(
        await writer('PATCH', `${notes}/entries/${id}`, { readers: [], tags: ['x'] }),
        400,
        'validation_error',
      )
      const verified = (await call('GET', '/v1/audit/verify?contents=true')).body
      assert.deepEqual([verified.chainValid, verified.anomalies], [true, []])
    })

    test('PATCH readers of a memory: the history says so, and a retry is recognised', async () => {
      const { call } = await server.tenant()
      const { ingest, writer } = memoriesOf(call)
      await writer('chat', 50)
      await ingest('ada', 'Dark theme.')
      const [{ id }] = (await call('GET', '/v1/memories?external_user_id=ada')).body.data
      const retry = { 'idempotency-key': 'narrow-1' }
      for (const replay of ['false', 'true']) {
        const changed = await call('PATCH', `/v1/memories/${id}`, { readers: ['ana'] }, retry)
        assert.deepEqual([changed.status, changed.body.readers], [200, ['ana']])
        assert.equal(changed.headers.get('idempotent-replay'), replay)
      }
      assert.equal((await call('GET', '/v1/memories?external_user_id=ada&reader=ben')).body.data.length, 0)
      const history = (await call('GET', `/v1/memories/${id}/history`)).body.data
      assert.deepEqual(
        history.map((item: { change_type: string }) => item.change_type),
        ['created', 'readers_changed'],
      )
      assertProvenanceError(await call('GET', `/v1/memories/${id}/history?reader=ben`), 404, 'not_found')
    })

    test('a source event is hidden from those who lose a memory that it stated, also with its job', async () => {
      const { call } = await server.tenant()
      const { ingest, writer } = memoriesOf(call)
      await writer('chat', 50)
      const { job_id: jobId } = await ingest('ada', 'Dark theme.')
      const [{ id }] = (await call('GET', '/v1/memories?external_user_id=ada')).body.data
      const [event] = (await call('GET', '/v1/tenant/source-events')).body.data
      const paths = [`/v1/tenant/source-events/${event.id}`, `/v1/memories/jobs/${jobId}`]
      const [ana, ben] = await Promise.all(['ana', 'ben'].map((reader) => bind(call, reader)))
      assert.ok(ana && ben)
      const seen = async (as: Call) => [
        (await as('GET', '/v1/tenant/source-events')).body.data.length,
        ...(await Promise.all(paths.map(async (path) => (await as('GET', path)).status))),
      ]
      assert.deepEqual(await seen(ben), [1, 200, 200])
      assert.equal((await call('PATCH', `/v1/memories/${id}`, { readers: ['ana'] })).status, 200)
      assert.deepEqual(await seen(ben), [0, 404, 404])
      assert.deepEqual(
        [await seen(ana), await seen(call)],
        [
          [1, 200, 200],
          [1, 200, 200],
        ],
      )
      assert.equal((await call('PATCH', `/v1/memories/${id}`, { readers: null })).status, 200)
      assert.deepEqual(await seen(ben), [1, 200, 200])
    })
  })
}
