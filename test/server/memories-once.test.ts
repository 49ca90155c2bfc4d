import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, randomKey, startServer, type TestServer } from '../support/server.ts'
import { addBody, assertRefused, contents, memoriesOf, sources } from './memories-calls.ts'

after(releaseServer)

const callers = 200

for (const storage of ['memory', 'sqlite', 'postgres'] as const) {
  describe(`a repeated source event takes effect once, on ${storage}`, () => {
    let home: Home
    let server: TestServer
    const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey() }
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home, env })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    test(`${callers} concurrent equal calls with a source are one event, one job, one set of memories`, async () => {
      const { call, ...tenant } = await server.tenant()
      const { writer, add, done, list, all } = memoriesOf(call)
      await writer('chat')
      const body = {
        ...addBody('ada', 'first content', { eventId: 'same' }),
        messages: ['one', 'two', 'three'].map((content) => ({ role: 'user', content: `${content} is content` })),
      }
      const answers = await Promise.all(Array.from({ length: callers }, () => add(body)))
      for (const { status, body: added, text } of answers) {
        assert.equal(status, 202, text)
        assert.deepEqual(added, answers[0]?.body)
      }
      const replayed = answers.filter(({ headers }) => headers.get('idempotent-replay') === 'true')
      assert.equal(replayed.length, callers - 1, 'all but the first are repeats')
      const { job_id, request_id, timestamp } = answers[0]?.body ?? {}
      assert.ok(job_id && request_id && timestamp)
      assert.equal((await done(job_id)).memories_created, 3)
      assert.deepEqual(contents(await list('ada')).sort(), ['one is content', 'three is content', 'two is content'])
      assert.equal((await all('ada')).length, 3)
      const { data } = (await call('GET', `${sources}?external_user_id=ada`)).body
      assert.deepEqual(
        data.map((event: { extraction_job_id: string }) => event.extraction_job_id),
        [job_id],
      )
      const jobs = (await call('GET', '/v1/host/colophon/jobs?limit=500')).body.jobs
      assert.equal(jobs.filter(({ kind }: { kind: string }) => kind === 'colophon.ingest').length, 1)
      const again = await add(body)
      assert.equal(again.headers.get('idempotent-replay'), 'true')
      assert.deepEqual(again.body, answers[0]?.body, `${tenant.id}: the answer is the first one later, too`)
    })

    test(`${callers} concurrent equal calls with an idempotency key and no source are one event, one job, one set of memories`, async () => {
      const { call } = await server.tenant()
      const { add, done, list } = memoriesOf(call)
      const body = addBody('ada', 'ingested without a source', { service: null, claim: null })
      const headers = { 'idempotency-key': 'the same key' }
      const answers = await Promise.all(Array.from({ length: callers }, () => add(body, headers)))
      for (const { status, body: added, text } of answers) {
        assert.equal(status, 202, text)
        assert.deepEqual(added, answers[0]?.body)
      }
      const replayed = answers.filter((answer) => answer.headers.get('idempotent-replay') === 'true')
      assert.equal(replayed.length, callers - 1)
      await done(answers[0]?.body.job_id)
      assert.deepEqual(contents(await list('ada')), ['ingested without a source'])
      const again = await add(body, headers)
      assert.deepEqual(again.body, answers[0]?.body)
      assertRefused(await add({ ...body, infer: true }, headers), 409, 'PROV_409', 'idempotency_key_mismatch')
      assertRefused(await add({ ...body, external_user_id: 'bob' }, headers), 409, 'PROV_409')
      const other = await add(body, { 'idempotency-key': 'another key' })
      assert.notEqual(other.body.job_id, answers[0]?.body.job_id)
      await done(other.body.job_id)
      assert.equal((await list('ada')).length, 2, 'without a claim, equal messages are separate memories')
    })

    test('the same event id with other messages, user, agent or mode is refused and changes nothing', async () => {
      const { call } = await server.tenant()
      const { writer, add, ingest, state } = memoriesOf(call)
      await writer('chat')
      const options = { eventId: 'evt', body: { agent_id: 'agent-1' } }
      const body = addBody('ada', 'the first content', options)
      const first = await ingest('ada', 'the first content', options)
      const before = await state()
      const [message] = body.messages
      for (const other of [
        { messages: [{ ...message, content: 'the first content ' }] },
        { messages: [{ ...message, unknown: 1 }] },
        { messages: [message, message] },
        { messages: [{ ...message, role: 'assistant' }] },
        { external_user_id: 'bob' },
        { agent_id: 'agent-2' },
        { agent_id: null },
        { infer: true },
      ]) {
        const refused = await add({ ...body, ...other })
        assertRefused(refused, 409, 'PROV_409', 'source_event_payload_mismatch')
        assert.ok(!refused.text.includes('first content'))
      }
      assert.deepEqual(await state(), before)
      const source = { ...body.source, observed_at: '2025-05-05T05:05:05Z', scope: { s: 1 }, evidence: [{ e: 1 }] }
      const again = await add({ ...body, source, metadata: { other: true } })
      assert.equal(again.status, 202)
      assert.deepEqual([again.body.job_id, again.headers.get('idempotent-replay')], [first.job_id, 'true'])
      assert.deepEqual(await state(), before, 'a repeat changes nothing either')
    })

    test('of concurrent calls with different content, one is accepted and the others are refused', async () => {
      const { call } = await server.tenant()
      const { writer, add, done, list } = memoriesOf(call)
      await writer('chat')
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => add(addBody('ada', `content ${n % 6}`, { eventId: 'evt' }))),
      )
      const taken = answers.filter(({ status }) => status === 202)
      assert.equal(taken.length, 10)
      assert.equal(new Set(taken.map(({ text }) => text)).size, 1)
      for (const answer of answers.filter(({ status }) => status !== 202))
        assertRefused(answer, 409, 'PROV_409', 'source_event_payload_mismatch')
      await done(taken[0]?.body.job_id)
      assert.equal((await list('ada')).length, 1)
    })

    test('the first response is repeated after the messages were deleted, and after a restart', async (t) => {
      const { call, key } = await server.tenant()
      const { writer, add, done } = memoriesOf(call)
      await writer('chat')
      await call('PATCH', '/v1/tenant/settings', { extraction_payload_retention_days: 0 })
      const spoken = [{ role: 'user', content: 'I prefer dark mode and compact layouts.' }]
      const bodies = [
        { ...addBody('ada', 'x', { eventId: 'one' }), infer: true, messages: spoken },
        addBody('ada', 'not extracted', { eventId: 'two' }),
        {
          ...addBody('ada', 'x', { eventId: 'three' }),
          infer: true,
          messages: [{ role: 'assistant', content: 'Hi there.' }],
        },
      ]
      const first = await Promise.all(bodies.map((body) => add(body)))
      assert.deepEqual(
        first.map(({ body }) => body.nothing_to_extract),
        [undefined, undefined, true],
      )
      for (const { body } of first) await done(body.job_id)
      for (const [index, body] of bodies.entries()) assert.deepEqual((await add(body)).body, first[index]?.body)
      if (storage === 'memory') return t.diagnostic('nothing survives a restart here')
      await server.stop()
      server = await startServer({ home, env })
      for (const [index, body] of bodies.entries()) {
        const again = await memoriesOf(server.as(key)).add(body)
        assert.deepEqual([again.body, again.headers.get('idempotent-replay')], [first[index]?.body, 'true'])
      }
    })
  })
}
