import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { releaseServer } from '../support/databases.ts'
import { startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { addBody, assertRefused, host, type Memories, memoriesOf, sources } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`refused calls about memories on ${storage}`, () => {
    let server: TestServer
    let memories: Memories
    before(async () => {
      server = await startServer({ storage })
      memories = memoriesOf((await server.tenant()).call)
      await memories.writer('chat')
      await memories.ingest('ada', 'something that is there')
    })
    after(() => server[Symbol.asyncDispose]())

    const message = { role: 'user', content: 'some content' }
    const body = { external_user_id: 'ada', messages: [message], infer: false }

    /** Each is refused with this code, names no value of the call, and leaves everything as it is. */
    async function refuses(bodies: readonly unknown[], code: 'REQ_422' | 'PROV_422'): Promise<void> {
      const before = await memories.state()
      for (const one of bodies) {
        const answer = await memories.add(one)
        assert.equal(answer.status, 422, `${JSON.stringify(one)?.slice(0, 300)}: ${answer.text}`)
        assertRefused(answer, 422, code)
      }
      assert.deepEqual(await memories.state(), before)
    }

    test('add: missing members, members of another type, and unknown members', () =>
      refuses(
        [
          {},
          { messages: [message] },
          { external_user_id: 'ada' },
          ...['', null, 5, 'x'.repeat(201), 'a\u0000', 'a\nb', '../x', 'a/../b', '\ud800'].map((external_user_id) => ({
            ...body,
            external_user_id,
          })),
          ...['', 5, {}, 'x'.repeat(257), 'a\u0001'].map((agent_id) => ({ ...body, agent_id })),
          ...[null, 'yes', 0].map((infer) => ({ ...body, infer })),
          ...[null, [], 'x'].map((metadata) => ({ ...body, metadata })),
          { ...body, metadata: { big: 'x'.repeat(limits.metadataBytesMax) } },
          { ...body, metadata: { deep: JSON.parse('['.repeat(4_000) + ']'.repeat(4_000)) } },
          { ...body, unknown: 1 },
          { ...body, tenant_id: 'default' },
        ],
        'REQ_422',
      ))

    test('add: invalid messages', () =>
      refuses(
        [
          ...[null, {}, 'hello', [], [null], ['hello'], [[]], [{}]].map((messages) => ({ ...body, messages })),
          { ...body, messages: Array.from({ length: limits.messagesPerAddMax + 1 }, () => message) },
          { ...body, infer: true, messages: [{ ...message, content: 'x'.repeat(limits.messagesBytesMax) }] },
          { ...body, messages: [{ ...message, content: 'x'.repeat(limits.contentBytesMax + 1) }] },
          ...['tool', 'User', '', null, undefined, 5].map((role) => ({ ...body, messages: [{ ...message, role }] })),
          ...['', '  \n', null, undefined, 5, ['x'], 'nul \u0000', 'half \ud800', '\udc00 half'].map((content) => ({
            ...body,
            messages: [message, { ...message, content }],
          })),
          { ...body, messages: [{ ...message, unknown: 'half \ud800' }] },
          { ...body, messages: [{ ...message, 'half \ud800': 1 }] },
          '{"external_user_id":"ada","infer":false,"messages":[{"role":"user","content":"some content","x":1e999}]}',
          ...['opinion', '', 5, null].map((category) => ({ ...body, messages: [{ ...message, category }] })),
          ...['', 5, null, 'x'.repeat(129), 'a\nb'].map((claim_key) => ({
            ...body,
            messages: [{ ...message, claim_key }],
          })),
          ...[-0.1, 1.1, '1', null].map((confidence) => ({ ...body, messages: [{ ...message, confidence }] })),
        ],
        'REQ_422',
      ))

    test('add: invalid bodies', async () => {
      const before = await memories.state()
      for (const text of ['', '{', '[]', 'null', '"x"', '{"__proto__":{"x":1}}'])
        assertRefused(await memories.add(text), 422, 'REQ_422')
      assertRefused(await memories.call('POST', '/v1/memories/add?x=1', body), 422, 'REQ_422')
      assert.deepEqual(await memories.state(), before)
    })

    test('add: an invalid source', () => {
      const source = { service: 'chat', event_id: 'never-taken' }
      const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
      return refuses(
        [
          ...['chat', 5, [], true].map((wrong) => ({ ...body, source: wrong })),
          { ...body, source: {} },
          { ...body, source: { service: 'chat' } },
          { ...body, source: { event_id: 'e' } },
          ...['nobody', 'Chat', '', null, 5].map((service) => ({ ...body, source: { ...source, service } })),
          ...['', null, 5, 'x'.repeat(257), 'a\nb', '\ud800'].map((event_id) => ({
            ...body,
            source: { ...source, event_id },
          })),
          ...[
            soon(10 * 60_000),
            '2099-01-01T00:00:00Z',
            'yesterday',
            '2026-01-01',
            '2026-02-30T00:00:00Z',
            '2026-01-01T00:00:00',
            5,
            '',
          ].map((observed_at) => ({ ...body, source: { ...source, observed_at } })),
          ...[[], 'x', 5, { big: 'x'.repeat(limits.sourceScopeBytesMax) }].map((scope) => ({
            ...body,
            source: { ...source, scope },
          })),
          ...[{}, 'x', ['x'], [null], [[]], Array.from({ length: 101 }, () => ({}))].map((evidence) => ({
            ...body,
            source: { ...source, evidence },
          })),
          { ...body, source: { ...source, unknown: 1 } },
        ],
        'PROV_422',
      )
    })

    test('add accepts values just within the limits', async () => {
      const soon = new Date(Date.now() + 4 * 60_000).toISOString()
      const taken = [
        { ...body, external_user_id: 'x'.repeat(200) },
        { ...body, agent_id: null, source: null },
        { ...body, external_user_id: 'ünï 🦊/a:b', agent_id: 'x'.repeat(256) },
        {
          ...body,
          source: { service: 'chat', event_id: 'x'.repeat(256), observed_at: soon, scope: null, evidence: null },
        },
        { ...body, source: { service: 'chat', event_id: 'y', observed_at: null, evidence: [] } },
        { ...body, messages: Array.from({ length: limits.messagesPerAddMax }, () => message) },
        {
          ...body,
          messages: [{ ...message, content: 'x'.repeat(limits.contentBytesMax), claim_key: 'x'.repeat(128) }],
        },
        { ...body, infer: true, messages: [{ ...message, category: 5, claim_key: 5, confidence: 5 }] },
      ]
      for (const one of taken) {
        const answer = await memories.add(one)
        assert.equal(answer.status, 202, answer.text)
        assert.equal(answer.body.status, 'queued')
        assert.equal(answer.body.memory_ref, `subject:${one.external_user_id}`)
        assert.equal((await memories.done(answer.body.job_id)).status, 'completed')
      }
    })

    test('unknown jobs, memories and source events are not found', async () => {
      const { call, state } = memories
      const other = await server.tenant()
      const [known] = await memories.list('ada')
      const [event] = (await call('GET', sources)).body.data
      const before = await state()
      for (const id of ['job_none', event.id, 'x'.repeat(500)]) {
        assertRefused(await call('GET', `/v1/memories/jobs/${id}`), 404, 'JOB_404')
        assertRefused(await call('POST', `/v1/memories/jobs/${id}:retry`), 404, 'JOB_404')
      }
      assertRefused(await other.call('GET', `/v1/memories/jobs/${event.extraction_job_id}`), 404, 'JOB_404')
      for (const [caller, id] of [
        [call, 'mem_none'],
        [call, event.id],
        [call, 'x'.repeat(2_000)],
        [other.call, known.id],
      ] as const) {
        assertRefused(await caller('GET', `/v1/memories/${id}`), 404, 'MEM_404')
        assertRefused(await caller('PATCH', `/v1/memories/${id}`, { content: 'another' }), 404, 'MEM_404')
        assertRefused(await caller('DELETE', `/v1/memories/${id}`), 404, 'MEM_404')
        assertRefused(await caller('GET', `/v1/memories/${id}/history`), 404, 'MEM_404')
        assertRefused(await caller('GET', `/v1/memories/${id}/sources`), 404, 'MEM_404')
      }
      for (const [caller, id] of [
        [call, 'src_none'],
        [call, known.id],
        [other.call, event.id],
      ] as const) {
        assert.equal((await caller('GET', `${sources}/${id}`)).status, 404)
        assert.equal((await caller('POST', `${sources}/${id}:verify`, { messages: [] })).status, 404)
      }
      assert.deepEqual(await state(), before)
    })

    test('invalid lists, retrievals, changes and settings', async () => {
      const { call, state } = memories
      const [known] = await memories.list('ada')
      const before = await state()
      const settings = async () => (await call('GET', '/v1/tenant/settings')).body
      const settingsBefore = await settings()
      const wrong = [
        ['GET', '/v1/memories'],
        ...['limit=0', 'limit=51', 'limit=x', 'categories=opinion', 'as_of=yesterday', 'as_of=999999'].map((query) => [
          'GET',
          `/v1/memories?external_user_id=ada&${query}`,
        ]),
        ...['include_superseded=yes', 'unknown=1'].map((query) => [
          'GET',
          `/v1/memories?external_user_id=ada&${query}`,
        ]),
        ['GET', '/v1/memories?external_user_id='],
        ...[
          {},
          { query: 'x' },
          { external_user_id: 'ada' },
          { external_user_id: 'ada', query: '' },
          { external_user_id: 'ada', query: 'x', limit: 51 },
          { external_user_id: 'ada', query: 'x', format: 'yaml' },
          { external_user_id: 'ada', query: 'x', categories: ['opinion'] },
          { external_user_id: 'ada', query: 'x', categories: 'fact' },
          { external_user_id: 'ada', query: 'x', time_filter_days: 0 },
          { external_user_id: 'ada', query: 'x', context_max_tokens: 0 },
          { external_user_id: 'ada', query: 'x', agent_id: 5 },
          { external_user_id: 'ada', query: 'x', as_of: 'yesterday' },
          { external_user_id: 'ada', query: 'x', unknown: 1 },
        ].map((asked) => ['POST', '/v1/memories/retrieve', asked]),
        ...[{}, { content: 5 }, { importance: 0 }, { importance: 11 }, { importance: 5.5 }].map((patch) => [
          'PATCH',
          `/v1/memories/${known.id}`,
          patch,
        ]),
        ...[{ is_archived: 'yes' }, { unknown: 1 }, { content: 'x', is_archived: true }].map((patch) => [
          'PATCH',
          `/v1/memories/${known.id}`,
          patch,
        ]),
        ['DELETE', `/v1/memories/${known.id}?hard_delete=maybe`],
        ...[
          { unknown: 1 },
          { extraction_payload_retention_days: -1 },
          { extraction_payload_retention_days: 1.5 },
          { default_writer_priority: 101 },
          { default_writer_priority: -1 },
          { redaction_policy: 'ignore' },
          { session_summary: 'yes' },
          { history_retention_days: 'x' },
        ].map((settings) => ['PATCH', '/v1/tenant/settings', settings]),
      ] as [string, string, object?][]
      for (const [method, path, asked] of wrong) {
        const answer = await call(method, path, asked)
        assert.equal(answer.status, 422, `${method} ${path} ${JSON.stringify(asked)}: ${answer.text}`)
        assertRefused(answer, 422, 'REQ_422')
      }
      assert.deepEqual(await state(), before)
      assert.deepEqual(await settings(), settingsBefore)
    })

    test('messages to compare for which no hash can be computed', async () => {
      const [event] = (await memories.call('GET', sources)).body.data
      for (const text of ['{"messages":[{"role":"\\ud800"}]}', '{"messages":[1e999]}', '{"unknown":1}', '[]'])
        assertRefused(await memories.call('POST', `${sources}/${event.id}:verify`, text), 422, 'REQ_422')
    })

    test('a call without a key, or without the scope', async () => {
      const { call } = await server.tenant()
      const withoutKey = server.as(null)
      assertRefused(await withoutKey('POST', '/v1/memories/add', addBody('ada', 'x y')), 401, 'AUTH_001')
      assertRefused(
        await server.as('not-a-key-at-all-of-anybody')('GET', '/v1/memories?external_user_id=a'),
        401,
        'AUTH_002',
      )
      const reader = (await call('POST', `${host}/keys`, { name: 'r', scopes: ['memory:read'] })).body.key
      const as = server.as(reader)
      assertRefused(await as('POST', '/v1/memories/add', addBody('ada', 'x y')), 403, 'AUTH_403')
      assertRefused(await as('PATCH', '/v1/memories/mem_x', {}), 403, 'AUTH_403')
      assertRefused(await as('DELETE', '/v1/memories/mem_x'), 403, 'AUTH_403')
      assert.equal((await as('GET', '/v1/memories?external_user_id=a')).status, 200)
    })
  })
}
