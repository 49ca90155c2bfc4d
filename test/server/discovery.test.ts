import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { assertError } from '../support/envelope.ts'
import { startServer, useServer } from '../support/server.ts'
import { chain, ended, register, startRun } from './runs-calls.ts'

const path = '/.well-known/openwop'
const published = fileURLToPath(new URL('../../../shared/openwop/schemas/capabilities.schema.json', import.meta.url))
const families = ['memory', 'agents', 'secrets']

type Document = Record<string, unknown> & {
  limits: Record<string, number>
  memory: { supported: boolean; maxEntrySizeBytes: number }
  agents: { memoryBackends?: string[] }
  capabilities: Record<string, unknown>
}

/** What the published schema demands of every document, for when neither it nor a validator is at hand. */
function assertStructure(document: Document): void {
  assert.match(String(document.protocolVersion), /^1\.\d+/)
  assert.ok(Array.isArray(document.supportedEnvelopes))
  assert.equal(typeof document.schemaVersions, 'object')
  const limits = ['clarificationRounds', 'schemaRounds', 'envelopesPerTurn']
  for (const name of limits) assert.ok(Number.isInteger(document.limits[name]), name)
  const more = [
    'maxNodeExecutions',
    'maxRunDurationMs',
    'maxLoopIterations',
    'maxBudgetTokens',
    'maxBudgetCostUsd',
    'maxRequestBodyBytes',
  ]
  assert.deepEqual(
    Object.keys(document.limits).filter((name) => ![...limits, ...more].includes(name)),
    [],
  )
}

describe('discovery', () => {
  const server = useServer({ env: { COLOPHON_BODY_LIMIT_BYTES: '123456' } })

  test('unknown query parameters of probes and caches are ignored', async () => {
    for (const open of ['/healthz', '/readyz', path])
      assert.equal((await server.as(null)('GET', `${open}?probe=1`)).status, 200, open)
  })
  const ask = (headers = {}) => server.as(null)('GET', path, undefined, headers)

  test('the document needs no key, and can be cached for a limited time', async () => {
    const { status, headers } = await ask()
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.match(headers.get('cache-control') ?? '', /max-age=\d+/)
    assert.equal((await server.as('wrong')('GET', path)).status, 200)
  })

  test('a client that has the current document gets 304, in every spelling of the header', async () => {
    const { headers, text } = await ask()
    const etag = headers.get('etag') ?? ''
    assert.match(etag, /^(W\/)?"[^"]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask({ 'if-none-match': known })
      assert.deepEqual([again.status, again.text], [304, ''], known)
      assert.equal(again.headers.get('content-length'), null, 'the length of a body that is not there')
      assert.equal(again.headers.get('etag'), etag)
      assert.match(again.headers.get('cache-control') ?? '', /max-age/)
    }
    const other = await ask({ 'if-none-match': '"other"' })
    assert.deepEqual([other.status, other.text], [200, text])
  })

  test('the document has every family at the root, and the same again under capabilities', async () => {
    const document = (await ask()).body as Document
    for (const family of families) {
      assert.ok(family in document, family)
      assert.deepEqual(document.capabilities[family], document[family])
    }
    for (const [family, block] of Object.entries(document.capabilities))
      assert.deepEqual(block, document[family], family)
    assert.deepEqual(document.agents.memoryBackends, ['long-term'])
    assert.equal(document.limits.maxRequestBodyBytes, 123_456)
    assertStructure(document)
  })

  test('the document names the query API in the namespace of this host, by paths that exist', async () => {
    const { supported, openapi, ...paths } = (await ask()).body['x-host-colophon-memory-query']
    assert.equal(supported, true)
    const document = (await server.as(null)('GET', openapi)).body
    assert.deepEqual(Object.keys(paths), ['list', 'get', 'search'])
    for (const [name, path] of Object.values(paths).map((value) => String(value).split(' ')))
      assert.ok(document.paths[path ?? '']?.[(name ?? '').toLowerCase()], `${name} ${path}`)
  })

  test('the document claims the second level of the execution model, and agents that run', async () => {
    const document = (await ask()).body as Document
    const claimed = document.agents as Record<string, Record<string, unknown>>
    assert.deepEqual(
      [claimed.manifestRuntime?.supported, claimed.supported, claimed.liveRuntime],
      [true, true, undefined],
    )
    const { multiAgent, agents } = (await ask()).body
    assert.deepEqual([agents.orchestrator, agents.dispatch, agents.dispatchMapping], [true, true, true])
    assert.deepEqual(multiAgent.executionModel, {
      supported: true,
      version: 2,
      confidenceEscalationFloor: 0.5,
      confidenceEscalationInterruptKind: 'approval',
      crossChildMemoryConcurrency: 'strict',
    })
  })

  test('the document claims the eight memory dimensions of the protocol', async () => {
    const { memory, agents } = (await ask()).body
    const { dimensions } = (await server.call('GET', '/v1/host/colophon/stats')).body
    assert.deepEqual(dimensions, {
      read: memory.supported,
      write: memory.writable,
      search: memory.search.supported,
      'long-term-durability': agents.memoryBackends.includes('long-term'),
      compaction: memory.compaction.supported,
      attribution: memory.attribution.supported,
      'replay-snapshot': true,
      retention: memory.retention.ttl && memory.retention.forget,
    })
  })

  test('the claimed body size is accepted, and a larger body is not', async () => {
    const { memory } = (await ask()).body as Document
    const entries = '/v1/host/colophon/memory/notes/entries'
    const put = (length: number) => server.call('POST', entries, { content: 'x'.repeat(length) })
    assert.equal((await put(memory.maxEntrySizeBytes)).status, 201)
    assert.equal((await put(memory.maxEntrySizeBytes + 1)).status, 400)
  })

  test('the document is valid by the published schema', async (t) => {
    if (!existsSync(published)) return t.skip(`the published schemas are not at ${published}`)
    // Not a dependency of ours: it is there when another package brings it.
    const name = 'ajv/dist/2020.js'
    const loaded = await import(name).catch(() => null)
    if (loaded === null) return t.skip('ajv is not installed')
    const text = readFileSync(published, 'utf8')
    const schema = JSON.parse(text) as { $id: string }
    const ajv = new loaded.default.default({ strict: false, allErrors: true, validateFormats: false })
    // Schemas of families that we do not have; whatever they say, they say it about nothing.
    const others = new Set(
      [...text.matchAll(/"\$ref":\s*"(\.\/[^"#]+)/g)].map(([, ref = '']) => new URL(ref, schema.$id).href),
    )
    for (const $id of others) ajv.addSchema({ $id })
    const validate = ajv.compile(schema)
    assert.ok(validate((await ask()).body), JSON.stringify(validate.errors, null, 1))
  })
})

test('fixtures of a conformance run are listed at the root and in the mirror', async () => {
  await using server = await startServer({ storage: 'memory', env: { COLOPHON_TEST_SEAMS: '1' } })
  const { fixtures, capabilities } = (await server.as(null)('GET', path)).body
  assert.ok(fixtures.includes('conformance-noop'))
  assert.deepEqual(capabilities.fixtures, fixtures)
})

test('a server without durable storage does not offer long-term memory', async () => {
  await using server = await startServer({ storage: 'memory' })
  const document = (await server.as(null)('GET', path)).body as Document
  assert.ok(!JSON.stringify(document).includes('long-term'), JSON.stringify(document.agents))
  assert.equal(document.memory.supported, true)
  assertStructure(document)
  assert.equal((await server.call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'x' })).status, 201)
})

test('a server without durable storage refuses the upkeep that it does not advertise, on every way to it', async () => {
  await using server = await startServer({ storage: 'memory' })
  const { call } = server
  const document = (await server.as(null)('GET', path)).body
  for (const name of ['compaction', 'distillation', 'memoryConsolidation'])
    assert.doesNotMatch(JSON.stringify(document), new RegExp(`"${name}":`), name)
  const host = '/v1/host/colophon'
  const entries = `${host}/memory/notes/entries`
  for (const content of ['Ada prefers tea.', 'Ada prefers tea.', 'Ada runs.']) await call('POST', entries, { content })
  const before = (await call('GET', entries)).body.entries
  const asked: readonly (readonly [string, string, object])[] = [
    ['compaction', `${host}/compactions`, { memoryRef: 'notes' }],
    ['compaction', `${host}/compactions`, { memoryRef: 'notes', dryRun: true }],
    ['distillation', `${host}/distillations`, { memoryRef: 'notes' }],
    ['distillation', `${host}/distillations`, { memoryRef: 'notes', dryRun: true }],
    ['consolidation', `${host}/consolidations`, { memoryRef: 'notes' }],
    ['consolidation', `${host}/consolidations`, { memoryRef: 'notes', dryRun: true }],
    ['compaction', `${host}/schedules`, { id: 'a', cron: '0 4 * * *', kind: 'colophon.compaction-pass' }],
    ['consolidation', `${host}/schedules`, { id: 'b', cron: '0 4 * * *', kind: 'colophon.consolidation-pass' }],
  ]
  for (const [capability, url, body] of asked) {
    const refused = await call('POST', url, body)
    assertError(refused, 422, 'capability_not_provided')
    assert.equal(refused.body.details.capability, capability, JSON.stringify(body))
  }
  for (const change of [{ compaction: { enabled: true } }, { consolidation_enabled: true }]) {
    const refused = await call('PATCH', '/v1/tenant/settings', change)
    assert.deepEqual([refused.status, refused.body.error], [422, 'capability_not_provided'], refused.text)
  }
  const node = { id: 'd', typeId: 'colophon.memory.distill', config: { memoryRef: 'notes' } }
  await register(call, chain('distilling', [node]))
  assert.equal((await ended(call, await startRun(call, 'distilling'))).error?.code, 'capability_not_provided')
  assert.deepEqual((await call('GET', entries)).body.entries, before)
})
