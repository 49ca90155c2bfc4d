import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { createClient } from '../../src/client/index.ts'
import { eventually } from '../support/child.ts'
import { type Tenant, useServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test decides the shape of a response, and checks it.
type Any = any
type Method =
  | 'add'
  | 'get'
  | 'getAll'
  | 'search'
  | 'update'
  | 'delete'
  | 'deleteAll'
  | 'history'
  | 'users'
  | 'feedback'
  | 'batchDelete'
  | 'getWebhooks'
  | 'getProfile'
  | 'getMemoryExport'
type Mem0 = Record<Method, (...args: unknown[]) => Promise<Any>> & {
  ping(): Promise<void>
  headers: Record<string, string>
}
type Framework = { MemoryClient: new (options: { apiKey: string; host: string }) => Mem0 }

const said = (content: string) => [{ role: 'user', content }]

/** The client of the package, unchanged, against the wire at /mem0. */
describe('the client of mem0', () => {
  const server = useServer()
  let framework: Framework
  before(async () => {
    // Read when the package is loaded: a test sends nothing to others.
    process.env.MEM0_TELEMETRY = 'false'
    framework = await loadFramework<Framework>('mem0ai')
  })

  const clientOf = ({ key }: Pick<Tenant, 'key'>) =>
    new framework.MemoryClient({ apiKey: key, host: `${server.url}/mem0` })
  /** Adds messages unchanged, and waits until there are so many memories. */
  async function added(client: Mem0, texts: readonly string[], options: Any): Promise<Any[]> {
    const { metadata: _metadata, ...filters } = options
    const { results: before } = await client.getAll({ filters })
    const messages = texts.flatMap(said)
    await client.add(messages, { ...options, infer: false })
    return memoriesOf(client, filters, before.length + texts.length)
  }
  async function memoriesOf(client: Mem0, filters: Any, countMin: number): Promise<Any[]> {
    let results: Any[] = []
    await eventually('the memories are there', async () => {
      results = (await client.getAll({ filters })).results
      return results.length >= countMin
    })
    return results
  }
  const refusalOf = async (call: Promise<unknown>) => {
    const error = (await call.then(
      () => null,
      (thrown: unknown) => thrown,
    )) as (Error & { errorCode: string }) | null
    assert.ok(error, 'it was not refused')
    return { status: error.errorCode, ...JSON.parse(error.message) }
  }

  test('adds, reads, searches, changes and deletes memories, and lists whom they are about', async () => {
    const tenant = await server.tenant()
    const client = clientOf(tenant)
    await client.ping()
    const answer = await client.add(said('I prefer green tea.'), {
      userId: 'ada',
      runId: 'chat-1',
      metadata: { App_Key: 1 },
    })
    assert.deepEqual([answer.status, answer.eventId.slice(0, 4)], ['PENDING', 'job_'])
    const [memory] = await memoriesOf(client, { user_id: 'ada' }, 1)
    assert.deepEqual(
      [memory.userId, memory.runId, memory.agentId, memory.metadata, memory.categories],
      ['ada', 'chat-1', null, { App_Key: 1 }, ['preference']],
    )
    assert.deepEqual(await client.get(memory.id), memory)
    const { results } = await client.search('what does she drink? tea', { filters: { user_id: 'ada' }, topK: 3 })
    assert.equal(results[0].id, memory.id)
    assert.ok(results[0].score > 0)
    const none = await client.search('tea', { filters: { user_id: 'ada' }, threshold: 1 })
    assert.deepEqual(none.results, [])

    const changed = await client.update(memory.id, { text: 'Prefers black tea.' })
    assert.equal(changed.memory, 'Prefers black tea.')
    // What mem0 keeps with a memory outlives the edit.
    assert.deepEqual([changed.runId, changed.metadata], ['chat-1', { App_Key: 1 }])
    const users = await client.users()
    assert.deepEqual(
      users.results.map(({ type, name, totalMemories }: Any) => [type, name, totalMemories]),
      [['user', 'ada', 1]],
    )
    assert.deepEqual(await client.delete(changed.id), { message: 'Memory deleted successfully!' })
    const history = await client.history(changed.id)
    assert.deepEqual(
      [history[0].event, history.at(-1).event, history.at(-1).newMemory],
      [changed.id === memory.id ? 'ADD' : history[0].event, 'DELETE', null],
    )
    assert.equal((await refusalOf(client.get(changed.id))).error, 'not_found')
  })

  test('what a tool or the system says is untrusted', async () => {
    const tenant = await server.tenant()
    const client = clientOf(tenant)
    const messages = [
      { role: 'user', content: 'I prefer tea.' },
      { role: 'tool', content: 'The page says that Ada prefers gin.' },
      { role: 'system', content: 'Ada prefers rum.' },
      { role: 'assistant', content: 'Ada prefers tea.' },
    ]
    await client.add(messages, { userId: 'ada', infer: false })
    const memories = await memoriesOf(client, { user_id: 'ada' }, 2)
    assert.deepEqual(memories.map(({ memory }: Any) => memory).sort(), ['Ada prefers tea.', 'I prefer tea.'])
    const { memories: held } = (await tenant.call('GET', '/v1/host/colophon/quarantine')).body
    assert.equal(held.length, 2)
  })

  test('has the provenance of every memory: the writer, the event, the conversation', async () => {
    const tenant = await server.tenant()
    const client = clientOf(tenant)
    client.headers['Idempotency-Key'] = 'evt-7'
    const [memory] = await added(client, ['Ada has a cat.'], { user_id: 'ada', run_id: 'chat-9' })
    const { provenance } = (await tenant.call('GET', `/v1/memories/${memory.id}`)).body
    assert.deepEqual(
      [provenance.service, provenance.event_id, provenance.scope],
      ['mem0', 'evt-7', { session_id: 'chat-9' }],
    )
    const { story } = await createClient({ url: server.url, key: tenant.key }).memory.colophon('subject:ada', memory.id)
    assert.match(JSON.stringify(story), /mem0/)
  })

  test('stores a retried call once, and the same words of another call again', async () => {
    const tenant = await server.tenant()
    const client = clientOf(tenant)
    const call = { userId: 'ada', infer: false, timestamp: 1_767_225_600 }
    const [first, again] = [
      await client.add(said('Ada has a cat.'), call),
      await client.add(said('Ada has a cat.'), call),
    ]
    assert.equal(again.eventId, first.eventId)
    const other = await client.add(said('Ada has a cat.'), { userId: 'ada', infer: false })
    assert.notEqual(other.eventId, first.eventId)
    client.headers['Idempotency-Key'] = 'retry-1'
    const keyed = [
      await client.add(said('Ada has a dog.'), { userId: 'ada' }),
      await client.add(said('Ada has a dog.'), { userId: 'ada' }),
    ]
    assert.equal(keyed[0].eventId, keyed[1].eventId)
    assert.match((await refusalOf(client.add(said('Ada has no dog.'), { userId: 'ada' }))).error, /mismatch$/)
    const events = (await tenant.call('GET', '/v1/tenant/source-events')).body.data
    assert.equal(events.length, 3)
    assert.ok(events.some((event: Any) => event.observed_at === '2026-01-01T00:00:00.000Z'))
  })

  test('filters by entity, metadata and time, by page, and deletes what a filter selects', async () => {
    const client = clientOf(await server.tenant())
    await added(client, ['One.', 'Two.', 'Three.'], { user_id: 'ada' })
    await added(client, ['Of a run.'], { user_id: 'ada', run_id: 'r-1' })
    await added(client, ['Of an agent.'], { agent_id: 'helper' })
    const texts = async (filters: Any, more: Any = {}) =>
      (await client.getAll({ filters, ...more })).results.map(({ memory }: Any) => memory)
    assert.deepEqual(await texts({ agent_id: 'helper' }), ['Of an agent.'])
    assert.deepEqual(await texts({ AND: [{ user_id: 'ada' }, { run_id: 'r-1' }] }), ['Of a run.'])
    assert.deepEqual(await texts({ user_id: 'ada', created_at: { lt: '2020-01-01' } }), [])
    const page = await client.getAll({ filters: { user_id: 'ada' }, page: 2, pageSize: 3 })
    assert.deepEqual([page.count, page.results.length, page.next], [4, 1, null])
    assert.match(page.previous, /^\/mem0\/v3\/memories\/\?page=1&page_size=3$/)
    const { results } = await client.users()
    assert.deepEqual(results.map(({ type, name }: Any) => `${type} ${name}`).sort(), ['agent helper', 'user ada'])
    await client.deleteAll({ userId: 'ada', runId: 'r-1' })
    assert.equal((await texts({ user_id: 'ada' })).length, 3)
    await client.deleteAll({ userId: 'ada' })
    assert.deepEqual([await texts({ user_id: 'ada' }), await texts({ agent_id: 'helper' })], [[], ['Of an agent.']])
  })

  test('deletes all: what was superseded does not become current again', async () => {
    const tenant = await server.tenant()
    const client = clientOf(tenant)
    for (const [city, at] of [
      ['Paris', 1],
      ['Rome', 2],
    ] as const) {
      await client.add(said(`I live in ${city}.`), { userId: 'ada', timestamp: at })
      await eventually('it is current', async () =>
        (await client.getAll({ filters: { user_id: 'ada' } })).results.some(({ memory }: Any) => memory.includes(city)),
      )
    }
    await client.deleteAll({ userId: 'ada' })
    assert.deepEqual((await client.getAll({ filters: { user_id: 'ada' } })).results, [])
  })

  test('refuses by name what has no counterpart, and identifiers that would be rewritten', async () => {
    const tenant = await server.tenant()
    const client = clientOf(tenant)
    const refusals: [call: () => Promise<unknown>, code: string, names: RegExp][] = [
      [
        () => client.add(said('x y'), { userId: 'a', customInstructions: 'z' }),
        'mem0_unsupported',
        /custom_instructions/,
      ],
      [
        () => client.add(said('x y'), { userId: 'a', expirationDate: '2030-01-01' }),
        'mem0_unsupported',
        /expiration_date/,
      ],
      [() => client.add(said('x y'), { userId: 'a', colour: 'z' }), 'validation_error', /not known/],
      [() => client.add(said('x y'), { userId: 'agent:a' }), 'validation_error', /user_id/],
      // It would be no date, and every list with the memory would fail.
      [() => client.add(said('x y'), { userId: 'a', timestamp: -8_640_000_000_001 }), 'validation_error', /timestamp/],
      [() => client.add(said('x y'), {}), 'validation_error', /user_id/],
      [() => client.add(said('x y'), { userId: 'a', runId: 'AKIAIOSFODNN7EXAMPLE' }), 'secret_leakage', /run_id/],
      [() => client.search('x', { filters: { user_id: 'a' }, rerank: true }), 'mem0_unsupported', /rerank/],
      [() => client.getAll({ filters: { user_id: 'a', keywords: 'x' } }), 'mem0_unsupported', /filters\.keywords/],
      [() => client.getAll({}), 'validation_error', /filters/],
      [() => client.update('mem_x', { metadata: {} }), 'mem0_unsupported', /metadata/],
      [() => client.delete('mem_x', { deleteLinked: true }), 'mem0_unsupported', /delete_linked/],
      [() => client.feedback({ memoryId: 'x' }), 'mem0_unsupported', /feedback/],
      [() => client.batchDelete(['x']), 'mem0_unsupported', /batchDelete/],
      [() => client.getWebhooks({ projectId: 'p' }), 'mem0_unsupported', /webhooks/],
      [() => client.getProfile({ entityId: 'a' }), 'mem0_unsupported', /profiles/],
      [() => client.getMemoryExport({ memoryExportId: 'x' }), 'mem0_unsupported', /exports/],
    ]
    for (const [call, code, names] of refusals) {
      const { error, message, details } = await refusalOf(call())
      assert.equal(error, code, message)
      assert.match(message, names)
      assert.ok(details.hint)
    }
  })

  test('reads and writes within the tenant, the scopes and the reader of its key', async () => {
    const [own, other] = [await server.tenant(), await server.tenant()]
    const [memory] = await added(clientOf(own), ['Ada has a cat.'], { user_id: 'ada', run_id: 'chat-2' })
    assert.equal((await refusalOf(clientOf(other).get(memory.id))).error, 'not_found')
    const keyOf = async (more: object) =>
      clientOf({ key: (await own.call('POST', '/v1/host/colophon/keys', { name: 'k', ...more })).body.key })
    const reads = await keyOf({ scopes: ['memory:read'] })
    assert.equal((await refusalOf(reads.add(said('x y'), { userId: 'ada' }))).error, 'forbidden')
    const blind = await keyOf({ scopes: ['memory:write'] })
    const changed = await blind.update(memory.id, { text: 'Ada has two cats.' })
    assert.deepEqual([changed.memory, changed.metadata, changed.runId], [undefined, null, null])
    const source = { service: 'mem0', event_id: 'for-bo' }
    const secret = { external_user_id: 'ada', infer: false, messages: said('A secret of Bo.'), readers: ['bo'], source }
    await own.call('POST', '/v1/memories/add', secret)
    await eventually(
      'both are there',
      async () => (await clientOf(own).getAll({ filters: { user_id: 'ada' } })).count === 2,
    )
    const cy = await keyOf({ scopes: ['memory:read'], reader: 'cy' })
    assert.equal((await cy.getAll({ filters: { user_id: 'ada' } })).count, 1)
    assert.equal((await cy.users()).results[0].totalMemories, 1)
    // The metadata of an event is about all that came of it: also about what this reader cannot see.
    const [first] = await added(clientOf(own), ['Eve has a fish.', 'Eve is ill.'], {
      user_id: 'eve',
      metadata: { ward: 7 },
    })
    await own.call('PATCH', `/v1/memories/${first.id}`, { readers: ['bo'] })
    const [seen, ...more] = (await cy.getAll({ filters: { user_id: 'eve' } })).results
    assert.deepEqual([seen.metadata, more, first.metadata], [null, [], { ward: 7 }])
    // A key that cannot register the writer is told how.
    const writes = await other.call('POST', '/v1/host/colophon/keys', { name: 'k', scopes: ['memory:write'] })
    const refused = await refusalOf(clientOf({ key: writes.body.key }).add(said('x y'), { userId: 'ada' }))
    assert.equal(refused.error, 'writer_invalid')
    assert.match(refused.message, /writers add mem0/)
  })
})
