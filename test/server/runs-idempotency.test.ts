import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Answer, type Call, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  gate,
  host,
  keyed,
  noop,
  register,
  replayOf,
  runsOf,
  startRun,
  startWaiting,
  typesOf,
  until,
  workflows,
} from './runs-calls.ts'

after(releaseServer)

const hook = {
  url: 'https://hooks.example.com/a',
  events: ['run.completed'],
  tags: ['x'],
  secret: 'a secret of some length',
}
const agent = { agentId: 'local.team.a', persona: 'A', modelClass: 'general', systemPrompt: 'x' }
const accept = { resumeValue: { action: 'accept' } }
const refine = { resumeValue: { action: 'refine', feedback: 'shorter' } }
const asking = chain('asks', [gate('gate', { actions: ['accept', 'refine', 'ask'] })])

/** What the calls of this file are about, each used by one of them. */
async function prepare(call: Call) {
  await register(call, chain('quick', [noop()]))
  await register(call, asking)
  const done = await startRun(call, 'quick')
  await ended(call, done)
  const start = () => startWaiting(call, 'asks')
  const paused = await start()
  await call('POST', `/v1/runs/${paused}:pause`)
  await until(call, paused, 'is paused', ({ status }) => status === 'paused')
  const asked = await start()
  return {
    done,
    paused,
    waiting: await start(),
    cancelled: await start(),
    answered: await start(),
    bystander: await start(),
    questioned: await start(),
    token: (await call('GET', `/v1/runs/${asked}`)).body.interrupt.interruptToken as string,
    webhookId: (await call('POST', '/v1/webhooks', hook)).body.webhookId as string,
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>>
type Request = readonly [method: string, path: string, body?: unknown]

/** A call that changes something, others that its key must not be taken for, and what of the answer a repeat shows. */
type Case = { first: Request; others: readonly Request[]; shows: (body: Answer['body']) => unknown }

const runId = (body: { runId: string }) => body.runId
const runState = (body: { runId: string; status: string }) => [body.runId, body.status]

const cases: Readonly<Record<string, { readonly of: (prepared: Prepared) => Case }>> = {
  'a new run': {
    of: () => ({
      first: ['POST', '/v1/runs', { workflowId: 'quick', inputs: { a: 1 }, tags: ['t'] }],
      others: [
        ['POST', '/v1/runs', { workflowId: 'quick', inputs: { a: 2 }, tags: ['t'] }],
        ['POST', '/v1/runs', { workflowId: 'quick', inputs: { a: 1 } }],
        ['POST', '/v1/runs', { workflowId: 'asks', inputs: { a: 1 }, tags: ['t'] }],
      ],
      shows: runId,
    }),
  },
  'a fork': {
    of: ({ done, bystander }) => ({
      first: ['POST', `/v1/runs/${done}:fork`, { mode: 'branch', fromSeq: 0 }],
      others: [
        ['POST', `/v1/runs/${done}:fork`, { mode: 'branch', fromSeq: 1 }],
        ['POST', `/v1/runs/${done}:fork`, { mode: 'replay', fromSeq: 0 }],
        ['POST', `/v1/runs/${bystander}:fork`, { mode: 'branch', fromSeq: 0 }],
      ],
      shows: ({ runId, fromSeq, mode, sourceRunId }) => [runId, fromSeq, mode, sourceRunId],
    }),
  },
  'a cancel': {
    of: ({ cancelled, bystander }) => ({
      first: ['POST', `/v1/runs/${cancelled}/cancel`, { reason: 'one' }],
      others: [
        ['POST', `/v1/runs/${bystander}/cancel`, { reason: 'one' }],
        ['POST', `/v1/runs/${cancelled}/cancel`, { reason: 'two' }],
      ],
      shows: runState,
    }),
  },
  'a pause': {
    of: ({ waiting, bystander }) => ({
      first: ['POST', `/v1/runs/${waiting}:pause`, { reason: 'one' }],
      others: [
        ['POST', `/v1/runs/${waiting}:pause`, { reason: 'two' }],
        ['POST', `/v1/runs/${bystander}:pause`, { reason: 'one' }],
      ],
      shows: runState,
    }),
  },
  'a resume': {
    of: ({ paused, bystander }) => ({
      first: ['POST', `/v1/runs/${paused}:resume`, {}],
      others: [
        ['POST', `/v1/runs/${paused}:resume`, { reason: 'two' }],
        ['POST', `/v1/runs/${bystander}:resume`, {}],
      ],
      shows: runState,
    }),
  },
  'an answer': {
    of: ({ answered, bystander }) => ({
      first: ['POST', `/v1/runs/${answered}/interrupts/gate`, accept],
      others: [
        ['POST', `/v1/runs/${answered}/interrupts/gate`, refine],
        ['POST', `/v1/runs/${bystander}/interrupts/gate`, accept],
      ],
      shows: runId,
    }),
  },
  'an answer by token': {
    of: ({ token }) => ({
      first: ['POST', `/v1/interrupts/${token}`, accept],
      others: [['POST', `/v1/interrupts/${token}`, refine]],
      shows: runId,
    }),
  },
  'a webhook': {
    of: () => ({
      first: ['POST', '/v1/webhooks', hook],
      others: [
        ['POST', '/v1/webhooks', { ...hook, url: 'https://hooks.example.com/b' }],
        ['POST', '/v1/webhooks', { ...hook, tags: ['y'] }],
        ['POST', '/v1/webhooks', { ...hook, events: ['run.failed'] }],
      ],
      // The secret is shown once.
      shows: ({ webhookId, secretFingerprint }) => [webhookId, secretFingerprint],
    }),
  },
  'another secret for a webhook': {
    of: () => ({
      first: ['POST', '/v1/webhooks', hook],
      others: [['POST', '/v1/webhooks', { ...hook, secret: 'another secret of that length' }]],
      shows: ({ webhookId }) => webhookId,
    }),
  },
  'the end of a webhook': {
    of: ({ webhookId }) => ({
      first: ['DELETE', `/v1/webhooks/${webhookId}`],
      others: [['DELETE', '/v1/webhooks/wh_none']],
      shows: () => 'nothing',
    }),
  },
  'a workflow': {
    of: () => ({
      first: ['POST', workflows, chain('new', [noop('a')])],
      others: [
        ['POST', workflows, chain('new', [noop('b')])],
        ['POST', workflows, chain('newer', [noop('a')])],
      ],
      shows: (body) => body,
    }),
  },
  'an agent': {
    of: () => ({
      first: ['POST', `${host}/agents`, agent],
      others: [['POST', `${host}/agents`, { ...agent, persona: 'B' }]],
      shows: (body) => body,
    }),
  },
  'a cancel of many': {
    of: ({ done, bystander }) => ({
      first: ['POST', '/v1/runs:bulk-cancel', { runIds: [done] }],
      others: [['POST', '/v1/runs:bulk-cancel', { runIds: [bystander] }]],
      shows: (body) => body,
    }),
  },
  'a question back': {
    of: ({ questioned }) => ({
      first: ['POST', `/v1/runs/${questioned}/interrupts/gate`, { resumeValue: { action: 'ask' } }],
      others: [['POST', `/v1/runs/${questioned}/interrupts/gate`, accept]],
      shows: runState,
    }),
  },
}

for (const storage of storagesOfBehaviour) {
  describe(`repeated idempotency keys on ${storage}`, () => {
    let server: TestServer
    let call: Call
    let prepared: Prepared
    before(async () => {
      server = await startServer({ storage })
      call = (await server.tenant()).call
      prepared = await prepare(call)
    })
    after(() => server[Symbol.asyncDispose]())

    for (const [name, { of }] of Object.entries(cases)) {
      test(`a key for ${name} gets the first response again, and is refused for another request`, async () => {
        const { first, others, shows } = of(prepared)
        const send = ([method, path, body]: Request) => call(method, path, body, keyed(`key for ${name}`))
        const made = await send(first)
        assert.ok(made.status < 300, made.text)
        for (const other of others) {
          const answer = await send(other)
          assertError(answer, 409, 'idempotency_key_mismatch')
          assert.ok(!/run_|wh_/.test(answer.text), answer.text)
        }
        assert.deepEqual(replayOf(made), ['false', 'false'])
        for (const again of [await send(first), await send(first)]) {
          assert.deepEqual([again.status, shows(again.body)], [made.status, shows(made.body)])
          assert.deepEqual(replayOf(again), ['true', 'true'])
        }
      })
    }

    test('concurrent calls with one key take effect once', async () => {
      const { call } = await server.tenant()
      await register(call, chain('quick', [noop()]))
      await register(call, asking)
      const many = (method: string, path: string, body: object) =>
        Promise.all(Array.from({ length: 20 }, () => call(method, path, body, keyed('many'))))
      const once = (answers: readonly Answer[], status: number) => {
        for (const answer of answers) assert.equal(answer.status, status, answer.text)
        assert.equal(new Set(answers.map(({ body }) => body.runId)).size, 1)
        assert.equal(answers.filter((answer) => replayOf(answer)[0] === 'false').length, 1)
        return answers[0]?.body.runId as string
      }
      const made = once(await many('POST', '/v1/runs', { workflowId: 'quick' }), 201)
      await ended(call, made)
      const forked = once(await many('POST', `/v1/runs/${made}:fork`, { mode: 'replay' }), 201)
      const asked = await startWaiting(call, 'asks')
      once(await many('POST', `/v1/runs/${asked}/interrupts/gate`, accept), 200)
      await ended(call, asked)
      assert.equal(typesOf(await eventsOf(call, asked)).filter((type) => type === 'interrupt.resolved').length, 1)
      assert.deepEqual((await runsOf(call)).sort(), [made, forked, asked].sort())
    })

    test('a call whose body cannot be compared is refused', async () => {
      const { call } = await server.tenant()
      await register(call, chain('quick', [noop()]))
      const made = await startRun(call, 'quick')
      await ended(call, made)
      for (const odd of ['"\\ud800"', '1e400']) {
        const body = `{"mode":"branch","fromSeq":0,"runOptionsOverlay":{"x":[${odd}]}}`
        assertError(await call('POST', `/v1/runs/${made}:fork`, body, keyed('odd')), 400, 'validation_error')
      }
    })

    test('a key belongs to its tenant and its operation', async () => {
      const tenants = [await server.tenant(), await server.tenant()]
      for (const { call } of tenants) {
        await register(call, chain('quick', [noop()]))
        const made = await call('POST', '/v1/runs', { workflowId: 'quick' }, keyed('one'))
        await ended(call, made.body.runId)
        const forked = await call('POST', `/v1/runs/${made.body.runId}:fork`, { mode: 'replay' }, keyed('one'))
        assert.deepEqual([made.status, forked.status, replayOf(forked)[0]], [201, 201, 'false'])
      }
    })

    test('a repeated create returns its run even if the workflow would refuse the call now', async () => {
      const { call } = await server.tenant()
      await register(call, chain('quick', [noop()]))
      const made = await call('POST', '/v1/runs', { workflowId: 'quick' }, keyed('one'))
      await register(
        call,
        chain('quick', [noop()], { variables: [{ name: 'needed', type: 'string', required: true }] }),
      )
      const again = await call('POST', '/v1/runs', { workflowId: 'quick' }, keyed('one'))
      assert.deepEqual([again.status, again.body.runId], [201, made.body.runId])
    })
  })
}
