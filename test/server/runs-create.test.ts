import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { startServer, type Tenant, type TestServer } from '../support/server.ts'
import { chain, delay, ended, gate, host, keyed, noop, register, runsOf, snapshotOf, startRun } from './runs-calls.ts'

/** Looks like a token that a client sends in the wrong member by mistake. */
const canary = 'eyJhbGciOiJIUzI1NiJ9.CANARYCANARYCANARY.do-not-repeat'

const typed = chain('typed', [noop()], {
  variables: ['string', 'number', 'boolean', 'object', 'array'].map((type) => ({ name: `a_${type}`, type })),
  configurableSchema: {
    type: 'object',
    properties: { tone: { enum: ['warm', 'dry'] }, depth: { type: 'integer', minimum: 1 } },
  },
})
const demanding = chain('demanding', [noop()], { variables: [{ name: 'needed', type: 'string', required: true }] })

const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })

/** An object of exactly so many bytes of JSON. */
const sized = (bytes: number) => ({ pad: 'x'.repeat(bytes - '{"pad":""}'.length) })

describe('refused requests for a new run', () => {
  let server: TestServer
  let tenant: Tenant
  before(async () => {
    server = await startServer()
    tenant = await server.tenant()
    await register(tenant.call, typed)
    await register(tenant.call, demanding)
    await register(tenant.call, chain('plain', [noop()]))
  })
  after(() => server[Symbol.asyncDispose]())

  const refuse = async (draft: unknown, status = 400, code = 'validation_error') => {
    const text = typeof draft === 'string' ? draft : JSON.stringify(draft)
    const answer = await tenant.call('POST', '/v1/runs', text)
    assert.equal(answer.status, status, `${text.slice(0, 200)}: ${answer.text}`)
    assertError(answer, status, code)
    assert.ok(!answer.text.includes('CANARY'), answer.text)
    return answer
  }

  test('a body that is not a run request', async () => {
    for (const text of ['', '{', 'null', '[]', '1', '"typed"', '{}', '{"workflow":"typed"}']) await refuse(text)
  })

  test('a missing or unknown workflow', async () => {
    for (const workflowId of [null, 1, '', [], {}, ['typed'], true]) await refuse({ workflowId })
    for (const workflowId of ['none', canary, 'typed ', 'TYPED', 'typed@1', '__proto__', 'x'.repeat(100_000)])
      await refuse({ workflowId }, 404, 'not_found')
  })

  test('inputs, configurable and metadata that are not objects, or cannot be stored', async () => {
    for (const member of ['inputs', 'configurable', 'metadata']) {
      for (const value of [null, 1, 'x', [], true, [{}], canary]) await refuse({ workflowId: 'typed', [member]: value })
      const deep = await refuse({ workflowId: 'typed', [member]: nested(65) })
      assert.equal(deep.body.details.limit, 'nestingLevelsMax')
      await refuse({ workflowId: 'typed', [member]: { text: 'a\u0000b' } })
      await refuse({ workflowId: 'typed', [member]: { 'a\u0000b': 1 } })
      await refuse(`{"workflowId":"typed","${member}":{"text":"\\ud800"}}`)
      await refuse(`{"workflowId":"typed","${member}":{"__proto__":{"x":1}}}`)
      await refuse(`{"workflowId":"typed","${member}":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`)
    }
  })

  test('values over a limit; the error names the limit', async () => {
    for (const [member, limit, max] of [
      ['inputs', 'runInputsBytesMax', 1_048_576],
      ['configurable', 'runConfigurableBytesMax', 51_200],
      ['metadata', 'runMetadataBytesMax', 51_200],
    ] as const) {
      const { details } = (await refuse({ workflowId: 'typed', [member]: sized(max + 1) })).body
      assert.deepEqual([details.field, details.limit, details.max], [member, limit, max])
      // Bytes count, not characters.
      await refuse({ workflowId: 'typed', [member]: { pad: 'é'.repeat(max / 2) } })
    }
  })

  test('variables of another type than declared, and a missing required one', async () => {
    const values = { string: 'x', number: 1, boolean: true, object: {}, array: [] }
    for (const type of Object.keys(values)) {
      for (const [other, value] of Object.entries({ ...values, null: null })) {
        if (other === type) continue
        const { details } = (await refuse({ workflowId: 'typed', inputs: { [`a_${type}`]: value } })).body
        assert.equal(details.variable, `a_${type}`)
      }
    }
    for (const inputs of [undefined, {}, { needed: null }, { Needed: 'x' }]) {
      const { details } = (await refuse({ workflowId: 'demanding', inputs })).body
      assert.equal(details.variable, 'needed')
    }
  })

  test('invalid tags', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `tag ${index}`)
    for (const tags of [
      null,
      'x',
      {},
      1,
      [1],
      [null],
      [''],
      [[]],
      ['a\nb'],
      ['a\u0000'],
      ['x'.repeat(257)],
      many,
      [canary, 1],
    ])
      await refuse({ workflowId: 'typed', tags })
    const { details } = (await refuse({ workflowId: 'typed', tags: many })).body
    assert.deepEqual([details.limit, details.max], ['runTagsMax', 100])
  })

  test('invalid options', async () => {
    for (const [name, values] of Object.entries({
      recursionLimit: [0, -1, 1.5, '5', null, [], 1e16, -1e300],
      runTimeoutMs: [0, -1, 1.5, '5', null, {}, 1e16],
      temperature: [-0.1, 2.1, '1', null],
      maxTokens: [0, -1, 1.5, '1', null],
      tone: ['loud', 1, canary],
      depth: [0, 1.5],
    })) {
      for (const value of values) {
        const { details } = (await refuse({ workflowId: 'typed', configurable: { [name]: value } })).body
        assert.equal(details.field, `configurable.${name}`)
      }
    }
  })

  test('options that choose a provider of models, because the host advertises none', async () => {
    for (const configurable of [{ ai: { provider: canary } }, { 'ai.provider': canary }]) {
      const { details } = (await refuse({ workflowId: 'plain', configurable })).body
      assert.equal(details.field, 'configurable.ai.provider')
    }
    for (const configurable of [{ ai: { credentialRef: canary } }, { 'ai.credentialRef': canary }])
      await refuse({ workflowId: 'plain', configurable }, 403, 'credential_forbidden')
    for (const mockProvider of [{ id: 'stream-text' }, 1, null])
      for (const configurable of [{ mockProvider }, { ai: { mockProvider } }])
        await refuse({ workflowId: 'plain', configurable }, 403, 'mock_provider_forbidden')
  })

  test('an invalid scope', async () => {
    for (const scopeId of ['', 1, [], {}, true, 'a\nb', 'a\u0000', 'x'.repeat(257)])
      await refuse({ workflowId: 'typed', scopeId })
  })

  test('an invalid idempotency key, and one that was used for a refused call', async () => {
    const draft = { workflowId: 'typed' }
    for (const key of ['', 'x'.repeat(256), 'a\tb'])
      assertError(await tenant.call('POST', '/v1/runs', draft, keyed(key)), 400, 'validation_error')
    const elsewhere = await server.tenant()
    assertError(await elsewhere.call('POST', '/v1/runs', draft, keyed('one')), 404)
    await register(elsewhere.call, typed)
    assertError(await elsewhere.call('POST', '/v1/runs', { ...draft, tags: 1 }, keyed('one')), 400)
    assert.equal((await elsewhere.call('POST', '/v1/runs', draft, keyed('one'))).status, 201)
  })

  test('a tenant named in the body is ignored', async () => {
    const other = await server.tenant()
    await register(other.call, chain('theirs', [noop()]))
    await refuse({ workflowId: 'theirs', tenantId: other.id, owner: { tenant: other.id } }, 404, 'not_found')
  })

  test('none of these requests started a run', async () => {
    assert.deepEqual(await runsOf(tenant.call), [])
    assert.deepEqual((await tenant.call('GET', `${host}/jobs`)).body, { jobs: [] })
  })
})

describe('accepted requests for a new run', () => {
  let server: TestServer
  let tenant: Tenant
  before(async () => {
    server = await startServer()
    tenant = await server.tenant()
    await register(tenant.call, typed)
    await register(tenant.call, demanding)
    await register(tenant.call, chain('waits', [gate()]))
    await register(tenant.call, chain('sleeps', [delay(), noop('then')]))
  })
  after(() => server[Symbol.asyncDispose]())

  test('values at the limits are accepted, and the run shows them', async () => {
    const { call } = tenant
    const draft = {
      inputs: { ...sized(1_048_576 - 20), a_number: 7 },
      metadata: sized(51_200),
      configurable: { ...sized(51_000), tone: 'dry', recursionLimit: Number.MAX_SAFE_INTEGER },
      tags: Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(256, 'é')),
    }
    const run = await ended(call, await startRun(call, 'typed', draft))
    assert.equal(run.status, 'completed')
    assert.deepEqual([run.metadata, run.configurable, run.tags], [draft.metadata, draft.configurable, draft.tags])
    assert.deepEqual(run.variables, { a_number: 7 })
    assert.equal(run.inputs, undefined)
    assert.equal((await ended(call, await startRun(call, 'typed', { inputs: nested(64) }))).status, 'completed')
  })

  test('unknown members are ignored', async () => {
    const { call } = tenant
    const draft = { callbackUrl: 'not a url', residency: 5, mode: 'eval', owner: [], unknown: { a: 1 } }
    assert.equal((await ended(call, await startRun(call, 'typed', draft))).status, 'completed')
  })

  test('a run ends at its timeout also while it waits, and accepts no answer then', async () => {
    const { call } = tenant
    for (const [workflowId, draft] of [
      ['waits', {}],
      ['sleeps', { inputs: { ms: 600_000 } }],
    ] as const) {
      const runId = await startRun(call, workflowId, { ...draft, configurable: { runTimeoutMs: 100 } })
      const run = await ended(call, runId)
      assert.deepEqual([run.status, run.error.code], ['failed', 'run_timeout'])
      assert.equal(run.interrupt, undefined)
    }
    const runId = await startRun(call, 'waits', { configurable: { runTimeoutMs: 1 } })
    await ended(call, runId)
    const answer = await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
    assert.ok(answer.status === 404 || answer.status === 422, answer.text)
    assert.equal((await snapshotOf(call, runId)).status, 'failed')
  })

  test('an exclusive run is the only one in its scope until it has ended', async () => {
    const { call } = tenant
    const draft = { workflowId: 'waits', scopeId: 'one at a time' }
    const alone = { 'x-dedup': 'enforce' }
    const starts = await Promise.all(Array.from({ length: 10 }, () => call('POST', '/v1/runs', draft, alone)))
    const [first, ...more] = starts.filter(({ status }) => status === 201)
    assert.deepEqual(more, [])
    for (const answer of starts.filter((answer) => answer !== first)) {
      assertError(answer, 409, 'run_already_active')
      assert.deepEqual(answer.body.details.activeRunId, first?.body.runId)
      assert.equal(answer.headers.get('retry-after'), String(answer.body.details.retryAfter))
    }
    // Only exclusive runs are refused, and only in this scope and tenant.
    assert.equal((await call('POST', '/v1/runs', { ...draft, scopeId: 'another' }, alone)).status, 201)
    const plain = await startRun(call, 'waits', { scopeId: 'one at a time' })
    const elsewhere = await server.tenant()
    await register(elsewhere.call, chain('waits', [gate()]))
    assert.equal((await elsewhere.call('POST', '/v1/runs', draft, alone)).status, 201)
    for (const runId of [first?.body.runId, plain]) {
      assertError(await call('POST', '/v1/runs', draft, alone), 409, 'run_already_active')
      assert.equal((await call('POST', `/v1/runs/${runId}/cancel`)).status, 200)
    }
    assert.equal((await call('POST', '/v1/runs', draft, { ...alone, ...keyed('mine') })).status, 201)
    // A repeat is not a second run.
    assert.equal((await call('POST', '/v1/runs', draft, { ...alone, ...keyed('mine') })).status, 201)
  })

  test('runs are listed page by page, by status and by workflow', async () => {
    const { call } = await server.tenant()
    await register(call, chain('a', [noop()]))
    await register(call, chain('b', [gate()]))
    const ids = [await startRun(call, 'a'), await startRun(call, 'b'), await startRun(call, 'a')]
    for (const id of [ids[0], ids[2]]) await ended(call, id ?? '')
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = (await call('GET', `${host}/runs?limit=1${cursor}`)).body
      seen.push(...page.runs.map(({ runId }: { runId: string }) => runId))
      if (page.cursor === undefined) break
      cursor = `&cursor=${page.cursor}`
    }
    assert.deepEqual(seen, ids.toReversed())
    const some = async (query: string) => (await call('GET', `${host}/runs?${query}`)).body.runs.length
    assert.deepEqual(
      [await some('status=completed'), await some('workflowId=b'), await some('workflowId=none')],
      [2, 1, 0],
    )
    for (const query of ['status=done', 'limit=-1', 'limit=x', 'tenantId=x', 'status=failed&status=failed'])
      assertError(await call('GET', `${host}/runs?${query}`), 400, 'validation_error')
  })
})
