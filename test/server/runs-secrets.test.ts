import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { holds, plainSecretValue, secretValue, storedBytes } from '../support/secret-forms.ts'
import {
  type Call,
  createHome,
  type Home,
  startServer,
  storagesOfBehaviour,
  type TestServer,
} from '../support/server.ts'
import { openStream } from '../support/sse.ts'
import {
  chain,
  ended,
  gate,
  host,
  keyed,
  noop,
  put,
  register,
  startRun,
  startWaiting,
  workflows,
} from './runs-calls.ts'

after(releaseServer)

const secrets = `${host}/secrets`

/** Everything the server shows of a run. */
async function shownOf(server: TestServer, call: Call, key: string, runId: string): Promise<string> {
  const paths = ['', '/events/poll?timeout=0', '/debug-bundle', `:diff?against=${runId}`].map(
    (end) => `/v1/runs/${runId}${end}`,
  )
  const answers = await Promise.all(
    [...paths, `${host}/runs/${runId}/reads`, `${host}/runs`, `${host}/audit`].map((path) => call('GET', path)),
  )
  const json = await call('GET', `/v1/runs/${runId}/events?streamMode=debug`, undefined, { accept: 'application/json' })
  const streams = await Promise.all(
    ['debug', 'values', 'updates'].map(async (mode) => {
      const stream = await openStream(`${server.url}/v1/runs/${runId}/events?streamMode=${mode}`, key)
      await stream.ended
      return stream.text()
    }),
  )
  return [...answers.map(({ text }) => text), json.text, ...streams].join('\n')
}

const remembering = chain('remembers', [
  gate('gate', { into: 'answer', title: 'About {{inputs.note}}' }),
  put('keep', '{{inputs.note}} and {{variables.answer.note}}'),
  { id: 'look', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'seen' } },
])

for (const storage of storagesOfBehaviour) {
  describe(`secrets and runs on ${storage}`, { concurrency: true }, () => {
    let home: Home
    let server: TestServer
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    test('a vault secret in a run is stored and shown nowhere, nor by its forks', async () => {
      const { call, key } = await server.tenant()
      const value = secretValue()
      await call('PUT', `${secrets}/known`, { value })
      await register(call, { ...remembering, description: `For ${value}` })
      const draft = {
        inputs: { note: `in ${value}`, [value]: [value] },
        metadata: { of: value, [value]: 1 },
        configurable: { prompt: value },
        tags: [`tag ${value}`],
      }
      const runId = await startWaiting(call, 'remembers', draft)
      const reason = `because of ${value}`
      await call('POST', `/v1/runs/${runId}:pause`, { reason })
      await call('POST', `/v1/runs/${runId}:resume`, { reason })
      const resumeValue = { action: 'accept', note: `out ${value}`, decidedBy: value, deep: [{ [value]: value }] }
      assert.equal((await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue })).status, 200)
      const run = await ended(call, runId)
      assert.equal(run.status, 'completed')
      assert.equal(run.variables.answer.note, 'out [REDACTED:known]')
      assert.equal(run.variables.seen[0].content, 'in [REDACTED:known] and out [REDACTED:known]')

      const cancelled = await startWaiting(call, 'remembers', draft)
      await call('POST', `/v1/runs/${cancelled}/cancel`, { reason })
      await register(
        call,
        chain('fails', [{ id: 'f', typeId: 'core.fail', config: { code: 'own_code', message: '{{inputs.note}}' } }]),
      )
      const failed = await startRun(call, 'fails', draft)
      assert.equal((await ended(call, failed)).error.code, 'own_code')
      const replay = (await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' })).body.runId
      const overlay = { metadata: { again: value }, tags: [value], configurable: { more: value } }
      const branch = (
        await call('POST', `/v1/runs/${failed}:fork`, { mode: 'branch', fromSeq: 0, runOptionsOverlay: overlay })
      ).body.runId
      for (const id of [replay, branch]) await ended(call, id)

      for (const id of [runId, cancelled, failed, replay, branch])
        assert.ok(!holds(await shownOf(server, call, key, id), value), `shown by ${id}`)
      for (const path of ['/v1/workflows/remembers', workflows, `${host}/memory/notes/entries`, `${host}/jobs`])
        assert.ok(!holds((await call('GET', path)).text, value), path)
      assert.ok(!holds(server.logs(), value), 'in the log')
      assert.ok(!holds(await storedBytes(home), value), 'stored')
    })

    test('unused inputs are in no event, bundle or comparison, and not in the server log', async () => {
      const { call, key } = await server.tenant()
      const canary = `canary-${randomBytes(9).toString('hex')}`
      await register(call, chain('quick', [noop()], { variables: [{ name: 'used', type: 'string' }] }))
      const runId = await startRun(call, 'quick', { inputs: { unused: canary, [canary]: { deep: [canary] } } })
      await ended(call, runId)
      assert.ok(!(await shownOf(server, call, key, runId)).includes(canary))
      assert.ok(!server.logs().includes(canary))
      // What is declared is a variable, and still in no event.
      const declared = await startRun(call, 'quick', { inputs: { used: canary } })
      assert.equal((await ended(call, declared)).variables.used, canary)
      for (const path of ['events/poll?timeout=0', 'debug-bundle'])
        assert.ok(!(await call('GET', `/v1/runs/${declared}/${path}`)).text.includes(canary), path)
    })

    test('a name that contains a secret is refused, and so is the whole write if the tenant rejects secrets', async () => {
      const { call } = await server.tenant()
      const value = plainSecretValue()
      await call('PUT', `${secrets}/known`, { value })
      await register(call, remembering)
      await register(call, chain('quick', [noop()]))
      const refused = async (...[method, path, body, headers]: Parameters<Call>) => {
        const answer = await call(method, path, body, headers)
        assertError(answer, 422, 'secret_leakage')
        assert.ok(!holds(answer.text, value), answer.text)
      }
      await refused('POST', workflows, chain(value, [noop()]))
      await refused('POST', '/v1/runs', { workflowId: 'quick' }, keyed(`key ${value}`))
      await refused('POST', '/v1/runs', { workflowId: 'quick', scopeId: `of ${value}` }, { 'x-dedup': 'enforce' })
      const waits = await startWaiting(call, 'remembers', { inputs: { note: 'x' } })
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })
      await refused('POST', workflows, chain('more', [noop()], { description: value }))
      await refused('POST', '/v1/runs', { workflowId: 'quick', inputs: { note: value } })
      await refused('POST', '/v1/runs', { workflowId: 'quick', tags: [value] })
      await refused('POST', `/v1/runs/${waits}/cancel`, { reason: value })
      await refused('POST', `/v1/runs/${waits}/interrupts/gate`, { resumeValue: { action: 'accept', note: value } })
      assert.equal((await call('GET', `/v1/runs/${waits}`)).body.status, 'waiting-approval')
      assert.ok(!holds(await storedBytes(home), value))
    })

    test('a scope that contains a secret is refused, also for a run that is not exclusive', async () => {
      const { call } = await server.tenant()
      const value = plainSecretValue()
      await call('PUT', `${secrets}/known`, { value })
      await register(call, chain('quick', [noop()]))
      assertError(
        await call('POST', '/v1/runs', { workflowId: 'quick', scopeId: `of ${value}` }),
        422,
        'secret_leakage',
      )
      assert.ok(!holds(await storedBytes(home), value))
    })

    test('a re-redaction pass redacts a later secret from runs, events and workflows', async () => {
      const { call } = await server.tenant()
      const value = secretValue()
      await register(call, { ...remembering, description: `For ${value}` })
      const runId = await startWaiting(call, 'remembers', { inputs: { note: value }, tags: [value] })
      await call('POST', `/v1/runs/${runId}/cancel`, { reason: value })
      await call('PUT', `${secrets}/late`, { value })
      const { jobId } = (await call('POST', `${host}/redactions`, {})).body
      await eventually(
        'the pass is over',
        async () => (await call('GET', `${host}/jobs/${jobId}`)).body.status === 'completed',
      )
      for (const path of [`/v1/runs/${runId}`, `/v1/runs/${runId}/debug-bundle`, '/v1/workflows/remembers'])
        assert.ok(!holds((await call('GET', path)).text, value), path)
    })

    test('a workflow with a secret in its names is refused; secrets in its texts are redacted', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${secrets}/word`, { value: 'hunter2-hunter2' })
      for (const node of [noop('hunter2-hunter2'), { ...noop(), config: { 'hunter2-hunter2': 1 } }]) {
        const answer = await call('POST', `${host}/workflows`, chain('named', [node]))
        assert.deepEqual([answer.status, answer.body.error], [422, 'secret_leakage'], answer.text)
        assert.ok(!answer.text.includes('hunter2'), answer.text)
      }
      assert.equal((await call('GET', '/v1/workflows/named')).status, 404)
      await register(call, chain('named', [{ ...noop(), notes: 'say hunter2-hunter2' }]))
      const stored = (await call('GET', '/v1/workflows/named')).body
      assert.equal(stored.nodes[0].notes, 'say [REDACTED:word]')
    })

    test('secrets and rules that match words of the host do not change how runs execute', async () => {
      const words = ['variables', 'interrupts', 'configurable', 'core.noop', 'sourceNodeId', 'completed']
      const fits = [...words.map((value) => ({ value })), { pattern: '[a-z]+' }, { pattern: '.' }]
      for (const fit of fits) {
        const { call } = await server.tenant()
        await register(call, chain('before', [noop()]))
        const set = await call('PUT', 'value' in fit ? `${secrets}/word` : `${host}/rules/word`, fit)
        assert.ok(set.status < 300, set.text)
        await register(call, chain('after', [noop('a'), noop('b')]))
        for (const workflowId of ['before', 'after']) {
          const run = await ended(call, await startRun(call, workflowId), 3_000)
          assert.equal(run.status, 'completed', JSON.stringify(fit))
        }
      }
    })
  })
}
