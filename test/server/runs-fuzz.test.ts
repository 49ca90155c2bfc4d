import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { eventually } from '../support/child.ts'
import { assertError } from '../support/envelope.ts'
import { type Answer, type Call, startServer, type TestServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { chain, ended, gate, host, noop, put, register, startRun, startWaiting, workflows } from './runs-calls.ts'

/** Number of bodies for each route. COLOPHON_TEST_FUZZ_RUNS sets a larger one. */
const runsPerRoute = Number(process.env.COLOPHON_TEST_FUZZ_RUNS ?? (isThorough ? 150 : 40))

/** In capitals, so that it is no name of anything that could be made; with digits like a token, so that it is no word. */
const canary = `CANARY0007${randomBytes(8).toString('hex').toUpperCase()}`

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  fc.constantFrom(
    canary,
    '',
    '\u0000',
    '\ud800',
    '{{inputs.x}}',
    '{{variables.x}}',
    '__proto__',
    'constructor',
    '..',
    '*',
  ),
)
const scalar = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0, -1, 1e300, 2 ** 53),
)
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}))

/** A body with members of the right names, some of them with values that fit; or anything else. */
function bodyLike(members: Readonly<Record<string, readonly unknown[]>>): fc.Arbitrary<unknown> {
  const someOf = (good: readonly unknown[]) => fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...good) }, json)
  const known = Object.fromEntries(Object.entries(members).map(([name, good]) => [name, someOf(good)]))
  const more = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, fc.dictionary(text, json, { maxKeys: 1 }))
  const record = fc.oneof(fc.record(known), fc.record(known, { requiredKeys: [] }))
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(record, more).map(([body, extra]) => ({ ...extra, ...body })) },
    { weight: 1, arbitrary: json },
  )
}

const runOptions = {
  configurable: [{}, { recursionLimit: 5 }, { runTimeoutMs: 1_000 }, { [canary]: canary }],
  tags: [[], ['a'], [canary]],
  metadata: [{}, { [canary]: canary }],
}

const drafts = {
  run: bodyLike({
    workflowId: ['quick', 'asks', 'none'],
    inputs: [{}, { x: canary }],
    scopeId: ['s', null],
    ...runOptions,
  }),
  fork: bodyLike({
    mode: ['replay', 'branch', canary],
    fromSeq: [0, 1, 2, 3, 4, 99],
    runOptionsOverlay: [{}, runOptions],
  }),
  answer: bodyLike({
    resumeValue: [{ action: 'accept' }, { action: 'ask' }, { action: canary }, { answers: { q: canary } }],
  }),
  reason: bodyLike({ reason: ['x', canary], drainPolicy: ['immediate', 'drain-current-node', canary] }),
  bulk: bodyLike({ runIds: [[], ['none'], ['none', 'none']], reason: ['x', canary] }),
  webhook: bodyLike({
    url: ['https://hooks.example.com/', `https://${canary}.example.com/`, 'http://127.0.0.1/', canary],
    events: [['*'], [canary], []],
    tags: [['a'], [canary]],
    secret: ['x'.repeat(20), canary],
    tenantId: ['default', canary],
  }),
}

const base = chain('fuzzed', [noop('a'), put('b', 'x')])
const node = bodyLike({
  id: ['a', 'b', 'c', canary],
  typeId: [
    'core.noop',
    'core.delay',
    'core.fail',
    'core.interrupt',
    'core.subWorkflow',
    'colophon.memory.list',
    canary,
  ],
  name: ['n'],
  position: [{ x: 0, y: 0 }],
  config: [{}, { memoryRef: 'notes' }, { kind: 'custom' }, { workflowId: 'quick' }, { [canary]: canary }],
  inputs: [
    {},
    { p: { type: 'static', value: canary } },
    { p: { type: 'variable', variableName: canary } },
    { [canary]: canary },
  ],
})
const document = bodyLike({
  id: ['fuzzed'],
  name: ['x'],
  version: ['1'],
  nodes: [base.nodes],
  edges: [base.edges, []],
  triggers: [[]],
  variables: [[], [{ name: 'v', type: 'string', defaultValue: canary }]],
  metadata: [{}, { tags: [canary] }],
  settings: [{}, { timeout: 1 }],
  configurableSchema: [{ type: 'object' }, { properties: { [canary]: { const: canary } } }],
})
const documents = fc.oneof(
  document,
  fc.array(node, { minLength: 1, maxLength: 3 }).map((nodes) => ({ ...base, edges: [], nodes })),
  fc.tuple(fc.constantFrom(...Object.keys(base)), json).map(([name, value]) => ({ ...base, [name]: value })),
)

describe('random bodies cause no internal error, keep the error envelope and are not repeated in errors', () => {
  let server: TestServer
  let call: Call
  let done: string
  let asking: string
  before(async () => {
    server = await startServer({ env: { COLOPHON_LOG_LEVEL: 'error' } })
    call = (await server.tenant()).call
    await register(call, chain('quick', [noop()]))
    await register(call, chain('asks', [gate('gate', { actions: ['accept', 'ask'] })]))
    done = await startRun(call, 'quick')
    await ended(call, done)
    asking = await startWaiting(call, 'asks')
  })
  after(() => server[Symbol.asyncDispose]())

  const check = (answer: Answer, what: string) => {
    assert.ok(answer.status < 500, `${what}: ${answer.text}`)
    if (answer.status < 400) return
    assertError(answer, answer.status)
    assert.ok(!answer.text.includes(canary), `${what}: ${answer.text}`)
  }
  const fuzz = (bodies: fc.Arbitrary<unknown>, send: (body: string) => Promise<Answer>) =>
    fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const sent = JSON.stringify(body) ?? ''
        check(await send(sent), sent)
      }),
      { numRuns: runsPerRoute },
    )

  test('new runs', () => fuzz(drafts.run, (body) => call('POST', '/v1/runs', body)))
  test('forks', () => fuzz(drafts.fork, (body) => call('POST', `/v1/runs/${done}:fork`, body)))
  test('pauses', () => fuzz(drafts.reason, (body) => call('POST', `/v1/runs/${asking}:pause`, body)))
  test('resumes', () => fuzz(drafts.reason, (body) => call('POST', `/v1/runs/${asking}:resume`, body)))
  test('cancels', () => fuzz(drafts.reason, (body) => call('POST', `/v1/runs/${done}/cancel`, body)))
  test('cancels of many', () => fuzz(drafts.bulk, (body) => call('POST', '/v1/runs:bulk-cancel', body)))
  test('webhooks', async () => {
    await fuzz(drafts.webhook, async (body) => {
      const answer = await call('POST', '/v1/webhooks', body)
      if (answer.status === 201) await call('DELETE', `/v1/webhooks/${answer.body.webhookId}`)
      return answer
    })
  })
  test('workflows', () => fuzz(documents, (body) => call('POST', workflows, body)))
  test('runs of the workflows that were accepted', async () => {
    await fuzz(fc.tuple(documents, drafts.run), async (pair) => {
      const [stored, draft] = JSON.parse(pair)
      await call('POST', workflows, JSON.stringify(stored))
      const isObject = draft !== null && typeof draft === 'object' && !Array.isArray(draft)
      return call('POST', '/v1/runs', JSON.stringify(isObject ? { ...draft, workflowId: 'fuzzed' } : draft))
    })
  })
  test('answers, with a key and with a token', async () => {
    let runId = await startWaiting(call, 'asks')
    await fuzz(drafts.answer, async (body) => {
      const { status, interrupt } = (await call('GET', `/v1/runs/${runId}`)).body
      if (status !== 'waiting-approval') runId = await startWaiting(call, 'asks')
      else check(await server.as(null)('POST', `/v1/interrupts/${interrupt.interruptToken}`, body), body)
      return call('POST', `/v1/runs/${runId}/interrupts/gate`, body)
    })
  })

  test('afterwards no run is stuck, and the audit verifies', async () => {
    await call('POST', `/v1/runs/${asking}:resume`)
    const open = async () => {
      const pages = await Promise.all(
        ['pending', 'running'].map((status) => call('GET', `${host}/runs?status=${status}&limit=500`)),
      )
      return pages.flatMap(({ body }) => body.runs)
    }
    const isOver = async () => {
      for (const { runId } of await open()) {
        const { nodeStates } = (await call('GET', `/v1/runs/${runId}`)).body
        const states = Object.values(nodeStates) as { status: string }[]
        if (!states.some(({ status }) => status === 'waiting')) return false
      }
      return true
    }
    await eventually('every run went on', isOver)
    assert.deepEqual((await call('GET', `${host}/jobs?status=dead`)).body.jobs, [])
    assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    assert.ok(!server.logs().includes(canary), 'in the log')
    assert.ok(!/"level":50/.test(server.logs()), server.logs())
  })
})
