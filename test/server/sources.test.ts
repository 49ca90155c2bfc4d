import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, memoriesOf, sources } from './memories-calls.ts'

after(releaseServer)

/** RFC 8785 by hand, for texts and whole numbers. */
const hashOf = (canonical: string) => `sha256:${createHash('sha256').update(canonical).digest('hex')}`

for (const storage of storagesOfBehaviour) {
  describe(`source events on ${storage}`, () => {
    const server = useServer({ storage })

    async function prepare() {
      const tenant = await server.tenant()
      const memories = memoriesOf(tenant.call)
      await memories.writer('chat', 50)
      await memories.writer('crm', 80)
      const events = async (query = '') => {
        const answer = await tenant.call('GET', `${sources}?${query}`)
        assert.equal(answer.status, 200, answer.text)
        return answer.body
      }
      return { ...memories, ...tenant, events }
    }

    test('source events are listed newest first, by user and by service, in pages', async () => {
      const { ingest, events } = await prepare()
      for (let n = 0; n < 6; n++)
        await ingest(n % 2 ? 'ada' : 'bob', `note ${n}`, {
          eventId: `e${n}`,
          service: n % 3 ? 'chat' : 'crm',
          claim: null,
        })
      await ingest('ada', 'of no service', { service: null, claim: null })
      const names = (page: { data: { event_id: string }[] }) => page.data.map(({ event_id }) => event_id)
      assert.deepEqual(names(await events()), ['e5', 'e4', 'e3', 'e2', 'e1', 'e0'])
      assert.deepEqual(names(await events('external_user_id=ada')), ['e5', 'e3', 'e1'])
      assert.deepEqual(names(await events('external_user_id=ada&source_service=crm')), ['e3'])
      assert.deepEqual(names(await events('source_service=crm')), ['e3', 'e0'])
      assert.deepEqual(names(await events('source_service=nobody')), [])
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const page = await events(`limit=4${cursor && `&cursor=${cursor}`}`)
        seen.push(...names(page))
        cursor = page.cursor ?? ''
        if (cursor === '') break
      }
      assert.deepEqual(seen, ['e5', 'e4', 'e3', 'e2', 'e1', 'e0'])
    })

    test('a source event shows its messages, the memories made from them, and the hash over the sent messages', async () => {
      const { add, done, events, call, all } = await prepare()
      const scope = { channel: 'web' }
      const evidence = [{ reference: 'conv_1' }]
      const body = {
        ...addBody('ada', 'x', { eventId: 'evt', source: { scope, evidence } }),
        messages: [
          { unknown: 'ü', role: 'user', content: 'one thing' },
          { role: 'assistant', content: 'other thing' },
        ],
        agent_id: 'agent-1',
      }
      const answer = await add(body)
      await done(answer.body.job_id)
      const canonical =
        '[{"content":"one thing","role":"user","unknown":"ü"},{"content":"other thing","role":"assistant"}]'
      const [listed] = (await events()).data
      const { id, ...facts } = listed
      assert.match(id, /^src_/)
      assert.deepEqual(facts, {
        service: 'chat',
        event_id: 'evt',
        external_user_id: 'ada',
        agent_id: 'agent-1',
        observed_at: '2026-01-01T00:00:00.000Z',
        received_at: answer.body.timestamp,
        payload_hash: hashOf(canonical),
        extraction_job_id: answer.body.job_id,
        evidence_refs: evidence,
        scope,
        trust: 'agent',
        payload_state: 'stored',
      })
      const whole = (await call('GET', `${sources}/${id}`)).body
      const kept = body.messages.map(({ role, content }) => ({ role, content }))
      assert.deepEqual(whole.payload, { messages: kept })
      assert.deepEqual(
        new Set(whole.memories.map((memory: { id: string }) => memory.id)),
        new Set((await all('ada')).map((memory: { id: string }) => memory.id)),
      )
      assert.equal(whole.memories.length, 2)
    })

    test('two events that together made a memory both show it', async () => {
      const { ingest, events, call, winner } = await prepare()
      await ingest('ada', 'dark mode', { confidence: 0.5, eventId: 'first' })
      await ingest('ada', 'dark mode', { confidence: 0.5, eventId: 'second', service: 'crm' })
      const { id } = await winner('ada')
      for (const event of (await events()).data) {
        const { memories, event_id } = (await call('GET', `${sources}/${event.id}`)).body
        assert.deepEqual(
          memories.map((memory: { id: string }) => memory.id),
          [id],
          event_id,
        )
      }
    })

    test('a client that still has the messages can prove them against the hash, also after their deletion', async () => {
      const { ingest, add, done, events, call } = await prepare()
      const verify = async (id: string, messages: unknown) =>
        (await call('POST', `${sources}/${id}:verify`, { messages })).body
      const body = addBody('ada', 'dark mode')
      const [message] = body.messages
      await done((await add(body)).body.job_id)
      await call('PATCH', '/v1/tenant/settings', { extraction_payload_retention_days: 0 })
      await ingest('ada', 'light mode', { eventId: 'gone' })
      const all = (await events()).data
      const [gone, kept] = all
      assert.deepEqual([gone.payload_state, kept.payload_state], ['redacted', 'stored'])
      const shown = (await call('GET', `${sources}/${gone.id}`)).body
      assert.deepEqual(shown.payload, { messages_redacted: true })
      assert.equal(shown.memories.length, 1, 'its memories stay')
      assert.deepEqual(await verify(kept.id, body.messages), { matches: true, payload_hash: kept.payload_hash })
      const reordered = [Object.fromEntries(Object.entries(message ?? {}).reverse())]
      assert.equal((await verify(kept.id, reordered)).matches, true, 'the order of members does not matter')
      assert.deepEqual(await verify(gone.id, addBody('ada', 'light mode').messages), {
        matches: true,
        payload_hash: gone.payload_hash,
      })
      for (const other of [
        [],
        null,
        [{ ...message, content: 'Dark mode' }],
        [message, message],
        [{ ...message, x: 1 }],
      ])
        assert.deepEqual(await verify(kept.id, other), { matches: false, payload_hash: kept.payload_hash })
    })
  })
}
