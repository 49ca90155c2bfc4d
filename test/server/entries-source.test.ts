import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Client, createClient } from '../../src/client/index.ts'
import { eventually } from '../support/child.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`

for (const storage of storagesOfBehaviour) {
  describe(`entries with a source event, on ${storage}`, () => {
    const server = useServer({ storage })

    async function setUp(): Promise<Client> {
      const { key } = await server.tenant()
      const client = createClient({ url: server.url, key, retry: { retries: 0 } })
      await client.writers.create({ service_key: 'assistant' })
      return client
    }
    const source = (eventId: string) => ({ service: 'assistant', eventId, scope: { session_id: 's-1' } })
    const contents = async (client: Client, ref = 'r') =>
      (await client.memory.list(ref)).entries.map(({ content }) => content)

    test('the colophon names the writer, the event and the conversation', async () => {
      const client = await setUp()
      const observedAt = '2026-01-02T03:04:05.000Z'
      const draft = { entries: [{ content: 'Ada prefers tea.' }], source: { ...source('e1'), observedAt } }
      const { entries } = await client.memory.write('r', draft)
      const trace = await client.memory.colophon('r', entries[0]?.id ?? '')
      assert.equal(trace.origin.kind, 'service')
      assert.equal(trace.origin.service, 'assistant')
      const told = trace.story.find(({ step }) => step === 'told')
      const provenance = told?.details.provenance as Record<string, unknown>
      assert.deepEqual(
        [provenance.service, provenance.event_id, provenance.observed_at, provenance.scope],
        ['assistant', 'e1', observedAt, { session_id: 's-1' }],
      )
      const [event] = (await client.sources.list()).data
      const one = await client.sources.get(event?.id ?? '')
      assert.deepEqual('memories' in one && one.memories?.map(({ id }) => id), [entries[0]?.id])
      assert.ok(Object.keys((await client.memory.prov('r', entries[0]?.id ?? '')).agent ?? {}).length > 0)
      assert.deepEqual((await client.audit.verify({ contents: 'true' })).anomalies, [])
    })

    test('a resent event stores nothing, also when many are sent at once', async () => {
      const client = await setUp()
      const draft = { entries: [{ content: 'One.' }, { content: 'Two.' }], source: source('e1') }
      const answers = await Promise.all(Array.from({ length: 8 }, () => client.memory.write('r', draft)))
      assert.equal(new Set(answers.map(({ entries }) => JSON.stringify(entries))).size, 1)
      assert.deepEqual(await contents(client), ['Two.', 'One.'])
      const other = { entries: [{ content: 'Three.' }], source: source('e1') }
      await assert.rejects(client.memory.write('r', other), { code: 'source_event_payload_mismatch' })
      await assert.rejects(client.memory.write('other', draft), { code: 'source_event_payload_mismatch' })
      await assert.rejects(client.memory.write('r', { ...draft, source: { ...source('e2'), service: 'nobody' } }), {
        code: 'writer_invalid',
      })
    })

    test('puts, revisions and deletes are one commit, or nothing', async () => {
      const client = await setUp()
      const first = await client.memory.write('r', {
        entries: [{ content: 'Draft.', tags: ['file'] }, { content: 'Old.' }],
        source: source('e1'),
      })
      const [file, old] = first.entries.map(({ id }) => id)
      const change = {
        entries: [{ content: 'New.' }],
        revisions: [{ id: file ?? '', content: 'Final.' }],
        deletes: [old ?? ''],
        asOf: first.position,
      }
      await client.memory.write('r', { ...change, source: source('e2') })
      assert.deepEqual(await contents(client), ['New.', 'Final.'])
      assert.deepEqual((await client.memory.get('r', file ?? '')).tags, ['file', 'source:service:assistant'])
      const stale = { ...change, deletes: [], source: source('e3') }
      await assert.rejects(client.memory.write('r', stale), { code: 'version_conflict', status: 409 })
      await assert.rejects(client.memory.write('r', { ...change, revisions: [], source: source('e4') }), {
        code: 'version_conflict',
      })
      assert.deepEqual(await contents(client), ['New.', 'Final.'])
      // The retry of the event that deleted an entry finds it gone, and still gets its first answer.
      await client.memory.write('r', { ...change, source: source('e2') })
      assert.deepEqual(await contents(client), ['New.', 'Final.'])
      const { story } = await client.memory.colophon('r', file ?? '')
      assert.equal(story.filter(({ step }) => step === 'told').length, 2)
      const writeOnly = await client.keys.create({ name: 'w', scopes: ['memory:write'] })
      const limited = createClient({ url: server.url, key: writeOnly.key })
      await assert.rejects(limited.memory.write('r', { entries: [], deletes: ['mem_x'] }), { code: 'forbidden' })
    })

    test('a secret in a tag is refused, and in a content redacted', async () => {
      const client = await setUp()
      const draft = { entries: [{ content: 'x', tags: [`key:${secret}`] }], source: source('e1') }
      await assert.rejects(client.memory.write('r', draft), { code: 'secret_leakage', message: /^tags / })
      await client.memory.write('r', { entries: [{ content: `The token is ${secret}.` }], source: source('e2') })
      assert.ok(!JSON.stringify(await contents(client)).includes(secret))
      const [event] = (await client.sources.list()).data
      assert.ok(!JSON.stringify(await client.sources.get(event?.id ?? '')).includes(secret))
    })

    test('a session id is kept as it is, also one that looks like the value of a cookie', async () => {
      const client = await setUp()
      const sessions = [crypto.randomUUID(), crypto.randomUUID()]
      for (const session_id of sessions) {
        const entries = [{ content: `Of ${session_id.slice(0, 4)}.` }]
        await client.memory.write('r', { entries, source: { ...source(session_id), scope: { session_id } } })
      }
      const scopes = (await client.sources.list()).data.map((event) => 'scope' in event && event.scope)
      assert.deepEqual(
        scopes.reverse(),
        sessions.map((session_id) => ({ session_id })),
      )
    })

    test('the bound key names the writer', async () => {
      const client = await setUp()
      const bound = await client.keys.create({ name: 'bot', scopes: ['memory:write', 'memory:read'] })
      await client.writers.create({ service_key: 'bot', api_key_id: bound.id })
      const bot = createClient({ url: server.url, key: bound.key })
      const { entries } = await bot.memory.write('r', { entries: [{ content: 'Hello.' }], source: { eventId: 'e1' } })
      const trace = await bot.memory.colophon('r', entries[0]?.id ?? '')
      assert.deepEqual([trace.origin.service, trace.trust], ['bot', 'service'])
      const added = await bot.memories.add({
        external_user_id: 'ada',
        infer: false,
        messages: [{ role: 'user', content: 'Ada prefers tea.' }],
        source: { event_id: 'e2' },
      })
      await bot.memories.wait(added.job_id)
      const [memory] = (await bot.memories.list({ external_user_id: 'ada' })).data
      assert.equal(memory?.provenance?.service, 'bot')
      const missing = { entries: [{ content: 'x' }], source: { eventId: 'e1' } }
      await assert.rejects(client.memory.write('r', missing), { code: 'writer_invalid' })
    })

    test('forgetting the entries forgets the event; a retry of it is refused', async () => {
      const client = await setUp()
      const draft = { entries: [{ content: 'A marmoset.', tags: ['gone'] }], source: source('e-marmoset') }
      await client.memory.write('zoo/marmoset', draft)
      await client.memory.write('r', { entries: [{ content: 'Stays.' }], source: source('e2') })
      const { id } = await client.forget.request({ memoryRef: 'zoo/marmoset', reason: 'asked' })
      await eventually('forgotten', async () => (await client.forget.get(id)).status === 'completed')
      const { data } = await client.sources.list()
      assert.equal(data.filter((event) => 'erased' in event).length, 1)
      assert.doesNotMatch(JSON.stringify(data), /marmoset/)
      await assert.rejects(client.memory.write('zoo/marmoset', draft), { code: 'source_event_erased' })
      assert.deepEqual((await client.audit.verify({ contents: 'true' })).anomalies, [])
    })

    test('containing the writer takes its entries out, and releasing brings them back', async () => {
      const client = await setUp()
      await client.memory.write('r', { entries: [{ content: 'Poison.' }], source: source('e1') })
      await client.memory.put('r', { content: 'Sound.' })
      const { id } = await client.containments.apply({ writer: 'assistant', reason: 'stolen' })
      assert.deepEqual(await contents(client), ['Sound.'])
      await client.containments.release(id)
      assert.deepEqual((await contents(client)).sort(), ['Poison.', 'Sound.'])
    })
  })
}
