import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { says, startModelStandIn } from '../support/model-stand-in.ts'
import { startServer, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, assertRefused, contents, memoriesOf, sources } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`details of the provenance API on ${storage}`, () => {
    const server = useServer({ storage })

    async function prepare() {
      const tenant = await server.tenant()
      const memories = memoriesOf(tenant.call)
      await memories.writer('chat', 50)
      await memories.writer('crm', 80)
      return { ...memories, ...tenant }
    }

    test('an add over a limit is refused with the name of the limit', async () => {
      const { add } = await prepare()
      const body = addBody('ada', 'dark mode')
      const [message] = body.messages
      const tooMuch: [object, string][] = [
        [{ external_user_id: 'x'.repeat(limits.externalUserIdCharactersMax + 1) }, 'externalUserIdCharactersMax'],
        [{ agent_id: 'x'.repeat(limits.agentIdCharactersMax + 1) }, 'agentIdCharactersMax'],
        [{ messages: Array.from({ length: limits.messagesPerAddMax + 1 }, () => message) }, 'messagesPerAddMax'],
        [{ messages: [{ ...message, content: 'x'.repeat(limits.contentBytesMax + 1) }] }, 'contentBytesMax'],
        [{ messages: [{ ...message, more: 'x'.repeat(limits.messagesBytesMax) }] }, 'messagesBytesMax'],
        [{ metadata: { big: 'x'.repeat(limits.metadataBytesMax) } }, 'metadataBytesMax'],
      ]
      for (const [members, limit] of tooMuch) {
        const answer = await add({ ...body, ...members })
        assertRefused(answer, 422, 'REQ_422')
        assert.equal(answer.body.details.limit, limit, answer.text)
        assert.equal(answer.body.details.max, limits[limit as 'contentBytesMax'])
      }
    })

    test('an event without observed_at was observed when it was received', async () => {
      const { add, done, winner, call } = await prepare()
      const { source: _said, ...body } = addBody('ada', 'dark mode')
      const answer = await add({ ...body, source: { service: 'chat', event_id: 'now' } })
      assert.equal(answer.status, 202, answer.text)
      await done(answer.body.job_id)
      const [event] = (await call('GET', sources)).body.data
      assert.equal(event.observed_at, event.received_at)
      assert.equal((await winner('ada')).observed_at, answer.body.timestamp)
    })

    test('a job shows the ref of its subject, its counts and the instants of its states', async () => {
      const { ingest, call, winner } = await prepare()
      await ingest('ada', 'dark mode')
      const { id: over } = await winner('ada')
      const { job } = await ingest('ada', 'light mode', { service: 'crm' })
      const { queued_at, started_at, completed_at, job_id, decided, ...rest } = job
      assert.deepEqual(decided, [
        { memory_id: (await winner('ada')).id, outcome: 'current', over, why: decided[0].why },
      ])
      assert.deepEqual(rest, {
        status: 'completed',
        attempts: 1,
        memories_created: 1,
        memories_superseded: 1,
        memories_rejected: 0,
        extractor: 'verbatim',
        memory_ref: 'subject:ada',
      })
      const instants = [queued_at, started_at, completed_at].map(Date.parse)
      assert.deepEqual([...instants].sort(), instants)
      assertRefused(await call('GET', `/v1/memories/jobs/${job_id}x`), 404, 'JOB_404')
    })

    test('the agent is no part of a claim: statements to two agents compete', async () => {
      const { ingest, list, winner } = await prepare()
      await ingest('ada', 'dark mode', { body: { agent_id: 'one' } })
      await ingest('ada', 'light mode', { service: 'crm', body: { agent_id: 'two' } })
      const held = await winner('ada')
      assert.deepEqual([held.content, held.attribution.agent_id], ['light mode', 'two'])
      assert.deepEqual(await list('ada', { agent_id: 'one' }), [])
    })

    test('a page has 10 memories by default, and 50 at most', async () => {
      const { add, done, call, list } = await prepare()
      const messages = Array.from({ length: 61 }, (_, at) => ({ role: 'user', content: `number ${at} of many` }))
      const { job_id } = (await add({ external_user_id: 'ada', infer: false, messages })).body
      await done(job_id)
      const path = '/v1/memories?external_user_id=ada'
      const first = (await call('GET', path)).body
      assert.equal(first.data.length, 10)
      const second = (await call('GET', `${path}&cursor=${encodeURIComponent(first.cursor)}`)).body
      const both = contents([...first.data, ...second.data])
      assert.equal(new Set(both).size, 20)
      assert.deepEqual(both, contents(await list('ada')).slice(0, 20))
      assert.equal((await list('ada', { limit: '50' })).length, 50)
      assertRefused(await call('GET', `${path}&limit=51`), 422, 'REQ_422')
    })

    test('a new tenant has the documented default settings, and a change keeps the other settings', async () => {
      const { call } = await server.tenant()
      const defaults = {
        redaction_policy: 'rewrite',
        extraction_payload_retention_days: 30,
        history_retention_days: 90,
        session_summary: true,
        conversation_retention: 'erase',
        default_writer_priority: 0,
      }
      const settings = async () => (await call('GET', '/v1/tenant/settings')).body
      const before = await settings()
      assert.partialDeepStrictEqual(before, defaults)
      assert.equal(before.compaction.enabled, false)
      const changed = await call('PATCH', '/v1/tenant/settings', { history_retention_days: 7, session_summary: false })
      const expected = { ...before, history_retention_days: 7, session_summary: false }
      assert.deepEqual([changed.body, await settings()], [expected, expected])
    })

    test('a history shows the reason of each change', async () => {
      const { ingest, call, all } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'dark mode', { service: 'crm' })
      await ingest('ada', 'light mode', { service: 'crm', observedAt: '2026-02-01T00:00:00Z' })
      const old = (await all('ada')).find(({ status }: { status: string }) => status === 'superseded')
      const { data } = (await call('GET', `/v1/memories/${old.id}/history`)).body
      type Item = { version_number: number; change_type: string; change_reason: string | null; actor: string }
      assert.deepEqual(
        (data as Item[]).map(({ version_number, change_type, change_reason }) => [
          version_number,
          change_type,
          change_reason,
        ]),
        [
          [1, 'created', null],
          [1, 'confirmed', 'stated by crm'],
          [1, 'superseded', 'superseded'],
        ],
      )
      for (const { actor } of data as Item[]) assert.match(actor, /^key:/)
    })

    test('a memory cannot be changed to empty content', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'dark mode')
      const { id } = await winner('ada')
      for (const content of ['', ' ', '\n\t']) {
        assertRefused(await call('PATCH', `/v1/memories/${id}`, { content }), 422, 'REQ_422')
      }
      assert.equal((await winner('ada')).content, 'dark mode')
    })
  })
}

const candidate = (content: string, confidence: number) => ({
  content,
  category: 'fact',
  importance: 5,
  confidence,
  claim_key: null,
  messages: [0],
})

test('of the candidates of a model, sure ones are kept, likely ones wait, and the others are dropped and counted', async () => {
  const items = [
    candidate('Ada lives in the old town of Lisbon.', 0.65),
    candidate('Ada may have two cats at home.', 0.64),
    candidate('Ada may keep bees on the roof.', 0.45),
    candidate('Ada may be afraid of water.', 0.44),
    candidate('Ada might be somebody else.', 0),
  ]
  await using model = await startModelStandIn(says({ memories: items }))
  await using server = await startServer({ env: { COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'stand-in' } })
  const { call } = await server.tenant()
  const { add, done, list } = memoriesOf(call)
  const messages = [{ role: 'user', content: 'I am Ada and I live in the old town of Lisbon.' }]
  const writer = async (service: string) => memoriesOf(call).writer(service)
  await writer('chat')
  const ingest = async (source?: object) =>
    done((await add({ external_user_id: 'ada', messages, ...(source && { source }) })).body.job_id)
  const first = await ingest()
  assert.deepEqual([first.status, first.memories_created, first.memories_rejected], ['completed', 1, 2])
  assert.deepEqual(contents(await list('ada')), [items[0]?.content])
  assert.equal((await ingest()).memories_created, 0, 'who repeats itself confirms nothing')
  const second = await ingest({ service: 'chat', event_id: 'e1' })
  assert.deepEqual([second.memories_created, second.memories_rejected], [2, 2])
  assert.deepEqual(
    contents(await list('ada')).sort(),
    items
      .slice(0, 3)
      .map(({ content }) => content)
      .sort(),
  )
})

test('a job whose attempt failed shows the reason, without content', async () => {
  await using model = await startModelStandIn((response) => response.writeHead(500).end('no'))
  await using server = await startServer({ env: { COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'stand-in' } })
  const { call } = await server.tenant()
  const { add, job } = memoriesOf(call)
  const messages = [{ role: 'user', content: 'I prefer canary yellow.' }]
  const { job_id } = (await add({ external_user_id: 'ada', messages })).body
  await eventually('the first attempt has failed', async () => (await job(job_id)).status === 'failed', 30_000)
  const failed = await job(job_id)
  assert.deepEqual([failed.attempts, failed.memories_created, failed.completed_at], [1, 0, undefined])
  assert.ok(Date.parse(failed.started_at) >= Date.parse(failed.queued_at))
  assert.equal(typeof failed.error.code, 'string')
  assert.ok(!JSON.stringify(failed).includes('canary'), JSON.stringify(failed))
})
