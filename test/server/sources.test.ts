import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, assertRefused, memoriesOf, sources } from './memories-calls.ts'

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

    test('an event is found by the id that it has in its service; an ambiguous one is refused with the services', async () => {
      const { ingest, events, call } = await prepare()
      await ingest('ada', 'dark mode', { eventId: 'turn/1', service: 'chat' })
      await ingest('bob', 'light mode', { eventId: 'turn/1', service: 'crm' })
      await ingest('bob', 'sepia', { eventId: 'turn/2', service: 'crm' })
      const get = (id: string, query = '') => call('GET', `${sources}/${encodeURIComponent(id)}?${query}`)
      const one = (await get('turn/2')).body
      assert.deepEqual([one.service, one.event_id, one.memories.length], ['crm', 'turn/2', 1])
      assert.deepEqual((await get(one.id)).body, one)
      assert.deepEqual((await get(one.id, 'source_service=crm')).body, one)
      const refused = await get('turn/1')
      assertRefused(refused, 409, 'PROV_409', 'source_event_ambiguous')
      const { hint, ...details } = refused.body.details
      assert.match(hint, /source_service/)
      assert.deepEqual(details, { field: 'source_service', services: ['chat', 'crm'] })
      assert.match(refused.body.message, /chat, crm/)
      assert.equal((await get('turn/1', 'source_service=chat')).body.external_user_id, 'ada')
      assertRefused(await get('turn/2', 'source_service=chat'), 404, 'MEM_404')
      assertRefused(await get(one.id, 'source_service=chat'), 404, 'MEM_404')
      assertRefused(await get('turn/3'), 404, 'MEM_404')
      const found = async (query: string) =>
        (await events(query)).data.map(({ service }: { service: string }) => service)
      assert.deepEqual(await found('event_id=turn%2F1'), ['crm', 'chat'])
      assert.deepEqual(await found('event_id=turn%2F1&external_user_id=ada'), ['chat'])
      assert.deepEqual(await found('event_id=turn%2F1&source_service=crm'), ['crm'])
      const { data, cursor } = await events('event_id=turn%2F1&limit=1')
      assert.deepEqual([data.length, await found(`event_id=turn%2F1&limit=1&cursor=${cursor}`)], [1, ['chat']])
      const messages = [{ role: 'user', content: 'sepia', category: 'preference', claim_key: 'ui.theme' }]
      const verify = (id: string, query = '') =>
        call('POST', `${sources}/${encodeURIComponent(id)}:verify?${query}`, { messages })
      assert.equal((await verify('turn/2')).body.matches, true)
      assert.equal((await verify('turn/1', 'source_service=crm')).body.matches, false)
      assertRefused(await verify('turn/1'), 409, 'PROV_409', 'source_event_ambiguous')
    })

    test('only services of events that the reader may see make an id ambiguous', async () => {
      const { ingest, call } = await prepare()
      await ingest('ada', 'dark mode', { eventId: 'e1', service: 'chat' })
      await ingest('ada', 'light mode', { eventId: 'e1', service: 'crm', body: { readers: ['ben'] } })
      const made = await call('POST', '/v1/host/colophon/keys', { name: 'ana', scopes, reader: 'ana' })
      const seen = await server.as(made.body.key)('GET', `${sources}/e1`)
      assert.deepEqual([seen.status, seen.body.service], [200, 'chat'])
    })

    test('the event, the sources of a memory and the audit name the key that sent the event', async () => {
      const { ingest, events, call, winner } = await prepare()
      const made = await call('POST', '/v1/host/colophon/keys', {
        name: 'sender',
        scopes: ['memory:write', 'memory:read'],
      })
      const sender = memoriesOf(server.as(made.body.key))
      await ingest('ada', 'dark mode', { eventId: 'first' })
      await sender.ingest('ada', 'dark mode', { service: 'crm', eventId: 'second' })
      const [event] = (await events('event_id=second')).data
      assert.deepEqual(
        [event.api_key_id, (await call('GET', `${sources}/second`)).body.api_key_id],
        Array(2).fill(made.body.id),
      )
      const { data } = (await call('GET', `/v1/memories/${(await winner('ada')).id}/sources`)).body
      const keys = Object.fromEntries(
        data.map((item: { event_id: string; api_key_id: string }) => [item.event_id, item.api_key_id]),
      )
      assert.equal(keys.second, made.body.id)
      assert.ok(keys.first && keys.first !== keys.second)
      const { records } = (await call('GET', '/v1/host/colophon/audit?limit=50')).body
      const actors = records.map(({ actor }: { actor: string }) => actor)
      assert.ok(actors.includes(`key:${made.body.id}`), JSON.stringify(actors))
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
      const [{ attribution }] = await all('ada')
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
        api_key_id: attribution.api_key_id,
        trust: 'agent',
        payload_state: 'stored',
      })
      const whole = (await call('GET', `${sources}/${id}`)).body
      const kept = body.messages.map(({ role, content }) => ({ role, content }))
      assert.deepEqual(whole.payload, kept)
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
