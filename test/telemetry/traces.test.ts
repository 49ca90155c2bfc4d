import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { connectHttp } from '../mcp/connect.ts'
import { chain, ended, host, put, register } from '../server/runs-calls.ts'
import { startReceiver } from '../server/webhooks-receiver.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { startEmbedderStandIn } from '../support/embedder-stand-in.ts'
import { says, startModelStandIn } from '../support/model-stand-in.ts'
import { storagesOfBehaviour } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { readSpans, type Span, sdkEnv } from './spans.ts'

const folder = createFolder()
after(() => folder.remove())
after(releaseServer)

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

const caller = () => {
  const [traceId, spanId] = [hex(16), hex(8)]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=opaque,b@team=x' }
}

const headersOf = ({ traceparent, tracestate }: ReturnType<typeof caller>) => ({ traceparent, tracestate })

/** Everything that spans may say of themselves. */
const attributeNames = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'colophon.request.id',
  'colophon.commit.operation',
  'colophon.commit.repeated',
  'colophon.job.kind',
  'colophon.job.attempt',
  'colophon.node.type',
  'colophon.model.purpose',
  'colophon.outcome',
  'gen_ai.operation.name',
  'gen_ai.memory.record.count',
  'gen_ai.memory.record.id',
  'error.type',
]

describe('with an SDK', () => {
  for (const storage of storagesOfBehaviour) {
    test(`a request, its commit, the run, its nodes and the webhook are one trace on ${storage}, without content`, async () => {
      const file = folder.file(`${storage}.jsonl`)
      await using receiver = await startReceiver()
      const env = { ...sdkEnv(file), COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' }
      await using server = await startServerProcess({ storage, env })
      const canary = `canary${hex(9)}`
      const { call, id: tenantId } = await server.tenant(`t-${canary}`)
      await register(call, chain(`flow-${canary}`, [put(`node-${canary}`, `{{inputs.note}} ${canary}`, canary)]))
      const hook = await call('POST', '/v1/webhooks', { url: `${receiver.url}/${canary}`, events: ['*'] })
      assert.equal(hook.status, 201, hook.text)
      const { traceId, spanId, traceparent, tracestate } = caller()
      const draft = { workflowId: `flow-${canary}`, inputs: { note: canary } }
      const made = await call('POST', '/v1/runs', draft, { traceparent, tracestate })
      assert.equal(made.status, 201, made.text)
      await ended(call, made.body.runId)
      await receiver.until(`/${canary}`, 'of the end', (deliveries) =>
        deliveries.some(({ body }) => body.type === 'run.completed'),
      )
      await call('GET', `/v1/memories/${canary}`, undefined, { traceparent: canary, 'x-canary': canary })
      await call('GET', `/${canary}?${canary}`)
      await eventually('the spans and metrics are there', async () => {
        const { spans, metrics } = readSpans(file)
        return spans.some(({ name }) => name === 'GET') && metrics.some(({ metric }) => metric.includes('webhook'))
      })
      await server.stop()
      const { spans, text, metrics } = readSpans(file)
      const own = spans.filter((span) => span.traceId === traceId)
      const named = (name: string): Span => {
        const found = own.find((span) => span.name === name)
        assert.ok(found, `${name} is missing among ${own.map((span) => span.name).join(', ')}`)
        return found
      }
      const request = named('POST /v1/runs')
      assert.equal(request.parentId, spanId, 'the request goes on with what the caller began')
      assert.equal(request.attributes['http.response.status_code'], 201)
      const commit = named('commit run.create')
      assert.equal(commit.parentId, request.spanId)
      const job = named('job colophon.run')
      assert.equal(job.parentId, commit.spanId)
      assert.equal(job.attributes['colophon.job.attempt'], 1)
      const node = named('node colophon.memory.put')
      assert.equal(node.parentId, job.spanId)
      assert.equal(named('create_memory').parentId, node.spanId)
      const webhooks = own.filter(({ name }) => name === 'webhook')
      assert.ok(webhooks.length > 0)
      for (const { headers } of receiver.deliveries) {
        const [version, sentTrace, sentSpan] = String(headers.traceparent).split('-')
        assert.deepEqual([version, sentTrace], ['00', traceId])
        assert.ok(
          webhooks.some((span) => span.spanId === sentSpan),
          'the receiver goes on with the span of its delivery',
        )
        assert.equal(headers.tracestate, tracestate)
      }
      for (const planted of [canary, tenantId, server.key, made.body.runId]) {
        const at = text.indexOf(planted)
        assert.equal(at, -1, text.slice(Math.max(0, at - 300), at + 50))
      }
      for (const { attributes, events, links, status } of spans) {
        assert.deepEqual(
          Object.keys(attributes).filter((name) => !attributeNames.includes(name)),
          [],
        )
        assert.deepEqual([events, links, status.message], [[], [], undefined])
      }
      const instruments = new Set(metrics.map(({ metric }) => metric))
      for (const name of [
        'http.server.request',
        'colophon.commit',
        'colophon.job',
        'colophon.node',
        'colophon.webhook',
      ])
        assert.ok(instruments.has(`${name}.duration`), `${name} in ${[...instruments].join(', ')}`)
    })
  }

  test('memory operations are spans of the GenAI conventions, without content, refs, queries or tenants', async () => {
    const file = folder.file('memory.jsonl')
    await using server = await startServerProcess({ env: sdkEnv(file) })
    const { call, id: tenantId } = await server.tenant()
    const [word, ref] = [`plum${hex(8)}`, `ref${hex(8)}`]
    const entries = `${host}/memory/${ref}/entries`
    const entry = (await call('POST', entries, { content: `A ${word}.`, tags: [word] })).body
    await call('POST', `${entries}:batch`, { entries: [{ content: `B ${word}` }, { content: `C ${word}` }] })
    await call('PATCH', `${entries}/${entry.id}`, { content: `D ${word}.` })
    const found = await call('POST', `${host}/memory/${ref}/search`, { query: word })
    const said = { external_user_id: word, infer: false, messages: [{ role: 'user', content: `E ${word}.` }] }
    await call('POST', '/v1/memories/add', said)
    const { body: retrieved } = await call('POST', '/v1/memories/retrieve', { external_user_id: word, query: word })
    await call('DELETE', `${entries}/${entry.id}`)
    await call('PATCH', `${entries}/${entry.id}`, { content: `F ${word}` })
    const { body: forgotten } = await call('POST', `${host}/forget`, { memoryRef: ref, reason: 'asked' })
    const memorySpans = () => readSpans(file).spans.filter(({ attributes }) => 'gen_ai.operation.name' in attributes)
    await eventually('the spans are there', async () => memorySpans().length >= 9)
    await server.stop()
    const one = { 'gen_ai.memory.record.count': 1, 'gen_ai.memory.record.id': entry.id }
    const expected: readonly [string, object][] = [
      ['create_memory', one],
      ['create_memory', { 'gen_ai.memory.record.count': 2 }],
      ['update_memory', one],
      ['search_memory', { 'gen_ai.memory.record.count': found.body.results.length }],
      ['upsert_memory', {}],
      ['search_memory', { 'gen_ai.memory.record.count': retrieved.data.length }],
      ['delete_memory', one],
      ['update_memory', { 'error.type': 'not_found' }],
      ['delete_memory', { 'gen_ai.memory.record.count': forgotten.matched }],
    ]
    const spans = memorySpans()
    assert.equal(found.body.results.length, 3)
    assert.deepEqual(
      spans.map(({ name, attributes }) => [name, attributes]),
      expected.map(([name, more]) => [name, { 'gen_ai.operation.name': name, ...more }]),
    )
    assert.deepEqual(
      spans.map(({ status }) => status.code),
      expected.map(([, more]) => ('error.type' in more ? 2 : 0)),
    )
    const { text } = readSpans(file)
    for (const planted of [word, ref, tenantId]) assert.ok(!text.includes(planted), planted)
  })

  test('an add is ingested by a job in the trace of its caller, and so is the call of the model', async () => {
    const file = folder.file('model.jsonl')
    await using model = await startModelStandIn(says({ memories: [] }))
    const env = { ...sdkEnv(file), COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'tiny-1' }
    await using server = await startServerProcess({ env })
    const { traceId, traceparent } = caller()
    const said = { external_user_id: 'ada', messages: [{ role: 'user', content: 'I moved to Porto.' }] }
    const added = await server.call('POST', '/v1/memories/add', said, { traceparent })
    assert.ok(added.status < 300, added.text)
    await eventually('the model was asked', async () => model.calls.length > 0)
    assert.equal(String(model.calls[0]?.headers.traceparent).split('-')[1], traceId)
    await eventually('the spans are there', async () =>
      readSpans(file).spans.some(({ name }) => name.startsWith('job ')),
    )
    const own = readSpans(file).spans.filter((span) => span.traceId === traceId)
    const asked = own.find(({ name }) => name === 'model extraction')
    assert.equal(String(model.calls[0]?.headers.traceparent).split('-')[2], asked?.spanId)
  })
})

describe('without an SDK', () => {
  test('the trace of a search reaches the embedder; vectors are made for many calls together, in no trace', async () => {
    await using embedder = await startEmbedderStandIn()
    const env = { COLOPHON_EMBEDDINGS: embedder.url, COLOPHON_EMBEDDINGS_MODEL: 'three' }
    await using server = await startServerProcess({ env })
    const { call } = await server.tenant()
    const [writer, asker] = [caller(), caller()]
    const made = await call('POST', `${host}/memory/notes/entries`, { content: 'A dog.' }, headersOf(writer))
    assert.equal(made.status, 201, made.text)
    const sentWith = (text: string) => embedder.calls.find(({ body }) => body.input.includes(text))?.headers
    await eventually('the entry has a vector', async () => sentWith('A dog.') !== undefined)
    const found = await call('POST', `${host}/memory/notes/search`, { query: 'Any puppy?' }, headersOf(asker))
    assert.equal(found.status, 200, found.text)
    const asked = sentWith('Any puppy?')
    assert.deepEqual([asked?.traceparent, asked?.tracestate], [asker.traceparent, asker.tracestate])
    assert.deepEqual([sentWith('A dog.')?.traceparent, sentWith('A dog.')?.tracestate], [undefined, undefined])
  })

  test('a tool call through /mcp is processed in the trace of the call', async () => {
    await using model = await startModelStandIn(says({ memories: [] }))
    await using server = await startServerProcess({
      env: { COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'tiny-1' },
    })
    const { key } = await server.tenant()
    const own = caller()
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const before = model.calls.length
      await using mcp = await connectHttp(server.url, key, { subject: 'ada' }, mode, headersOf(own))
      const said = { messages: [{ role: 'user', content: `I moved to Porto ${before}.` }] }
      assert.equal((await mcp.call('add_conversation', said)).isError, false)
      await eventually('the model was asked', async () => model.calls.length > before)
      const { traceparent, tracestate } = model.calls[before]?.headers ?? {}
      assert.deepEqual([traceparent, tracestate], [own.traceparent, own.tracestate])
    }
  })

  test('the caller’s trace context passes unchanged through jobs to webhook receivers, and is shown nowhere else', async () => {
    await using receiver = await startReceiver()
    await using server = await startServerProcess({ env: { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' } })
    const { call } = await server.tenant()
    await register(call, chain('quick', [put('keep', 'tea')]))
    await call('POST', '/v1/webhooks', { url: `${receiver.url}/hook`, events: ['run.completed'] })
    const { traceparent, tracestate, traceId } = caller()
    const made = await call('POST', '/v1/runs', { workflowId: 'quick' }, { traceparent, tracestate })
    assert.deepEqual([made.headers.get('traceparent'), made.headers.get('tracestate')], [null, null])
    await receiver.until('/hook', 'of the end', (deliveries) => deliveries.length === 1)
    const sent = receiver.at('/hook')[0]?.headers
    assert.deepEqual([sent?.traceparent, sent?.tracestate], [traceparent, tracestate])
    const { text } = await call('GET', `${host}/jobs?limit=500`)
    assert.ok(!text.includes(traceId))

    const hostile = [
      'x',
      `00-${'0'.repeat(32)}-${hex(8)}-01`,
      `ff-${hex(16)}-${hex(8)}-01`,
      `00-${hex(16)}-${hex(8)}-01${'-'.repeat(4_000)}`,
      `00-${hex(16)}-${hex(8)}-01, 00-${hex(16)}-${hex(8)}-01`,
      `${traceparent}' or 1=1 --`,
    ]
    for (const [index, bad] of hostile.entries()) {
      const sent = { traceparent: bad, tracestate: `a=${'b'.repeat(3_000)}` }
      const answer = await call('POST', '/v1/runs', { workflowId: 'quick' }, sent)
      assert.equal(answer.status, 201, bad)
      await receiver.until('/hook', `of ${bad.slice(0, 60)}`, (deliveries) => deliveries.length === index + 2)
      const last = receiver.at('/hook').at(-1)
      assert.deepEqual([last?.headers.traceparent, last?.headers.tracestate], [undefined, undefined])
    }
    const states = ['a'.repeat(600), 'a=1,broken member,=2,UPPER=3', 'a=\u0001']
    for (const [index, state] of states.entries()) {
      const sent = index === 2 ? { traceparent } : { traceparent, tracestate: state }
      await call('POST', '/v1/runs', { workflowId: 'quick' }, sent)
      await receiver.until('/hook', 'more', (deliveries) => deliveries.length === hostile.length + index + 2)
      const last = receiver.at('/hook').at(-1)
      assert.deepEqual(
        [last?.headers.traceparent, last?.headers.tracestate],
        [traceparent, index === 1 ? 'a=1' : undefined],
      )
    }
  })

  test('a secret in tracestate is neither stored nor forwarded', async () => {
    await using receiver = await startReceiver()
    await using server = await startServerProcess({ env: { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' } })
    const { call } = await server.tenant()
    const secret = `swordfish${hex(8)}`
    assert.ok((await call('PUT', `${host}/secrets/door`, { value: secret })).status < 300)
    await register(call, chain('quick', [put('keep', 'tea')]))
    await call('POST', '/v1/webhooks', { url: `${receiver.url}/hook`, events: ['run.completed'] })
    const { traceparent } = caller()
    await call('POST', '/v1/runs', { workflowId: 'quick' }, { traceparent, tracestate: `door=${secret}` })
    await receiver.until('/hook', 'of the end', (deliveries) => deliveries.length === 1)
    assert.deepEqual(
      receiver.at('/hook').map(({ headers }) => [headers.traceparent, headers.tracestate]),
      [[traceparent, undefined]],
    )
  })
})
