import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { chain, ended, eventsOf, gate, noop, register, snapshotOf, startWaiting } from './runs-calls.ts'

after(releaseServer)

const canary = 'CANARY-do-not-repeat'
const question = (config: object) => ({
  id: 'ask',
  typeId: 'core.clarificationGate',
  config: { into: 'answer', ...config },
})
const interrupt = (config: object) => ({ id: 'ask', typeId: 'core.interrupt', config: { into: 'answer', ...config } })
const twoQuestions = [
  { id: 'q1', question: 'Which colour?' },
  { id: 'q2', question: 'Why?' },
]

const documents = [
  chain('approval', [
    gate('ask', { actions: ['accept', 'reject', 'refine', 'edit-accept', 'ask'], into: 'answer' }),
    noop('then'),
  ]),
  chain('plain', [gate('ask', { into: 'answer' })]),
  chain('clarification', [question({ questions: twoQuestions })]),
  chain('event', [interrupt({ kind: 'external-event', data: { correlation: { order: 7, place: { city: 'Bern' } } } })]),
  chain('any-event', [interrupt({ kind: 'external-event' })]),
  chain('custom', [interrupt({ kind: 'custom' })]),
  chain('strict', [
    interrupt({
      kind: 'custom',
      resumeSchema: {
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'integer', minimum: 1 } },
        additionalProperties: false,
      },
    }),
  ]),
]

for (const storage of storagesOfBehaviour) {
  describe(`answers on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let call: Call
    before(async () => {
      server = await startServer({ storage })
      call = (await server.tenant()).call
      for (const document of documents) await register(call, document)
    })
    after(() => server[Symbol.asyncDispose]())

    const answer = (runId: string, resumeValue: unknown, as = call) =>
      as('POST', `/v1/runs/${runId}/interrupts/ask`, { resumeValue })

    /** Each invalid answer is refused, and after all of them the run waits unchanged. */
    const refuseAll = async (
      workflowId: string,
      values: readonly unknown[],
      status = 400,
      code = 'validation_error',
    ) => {
      const runId = await startWaiting(call, workflowId)
      const before = await snapshotOf(call, runId)
      const events = await eventsOf(call, runId)
      for (const value of values) {
        const refused = await answer(runId, value)
        assert.equal(refused.status, status, `${JSON.stringify(value)}: ${refused.text}`)
        assertError(refused, status, code)
        assert.ok(!refused.text.includes(canary), refused.text)
      }
      const after = await snapshotOf(call, runId)
      for (const run of [before, after])
        for (const name of ['interruptToken', 'callbackUrl']) delete run.interrupt[name]
      assert.deepEqual(after, before)
      assert.deepEqual(await eventsOf(call, runId), events)
      return runId
    }
    const complete = async (runId: string, value: unknown) => {
      const answered = await answer(runId, value)
      assert.equal(answered.status, 200, answered.text)
      return ended(call, runId)
    }

    test('an approval accepts only the actions that it offers', async () => {
      const wrong = [
        null,
        'accept',
        1,
        [],
        {},
        { action: null },
        { action: 1 },
        { action: ['accept'] },
        { action: 'Accept' },
        { action: '' },
        { action: canary },
        { decision: 'accept' },
      ]
      await refuseAll('plain', [
        ...wrong,
        { action: 'refine' },
        { action: 'edit-accept' },
        { action: 'ask' },
        { action: 'constructor' },
      ])
      await refuseAll('approval', wrong)
    })

    test('an approval can be accepted, accepted with changes, sent back and rejected', async () => {
      for (const value of [
        { action: 'accept' },
        { action: 'refine', refineFeedback: 'shorter' },
        { action: 'edit-accept', editedArtifactData: { text: 'better' } },
        { action: 'accept', decidedBy: 'somebody', unknown: [1] },
      ]) {
        const run = await complete(await startWaiting(call, 'approval'), value)
        assert.deepEqual([run.status, run.variables.answer], ['completed', value])
      }
      const run = await complete(await startWaiting(call, 'approval'), { action: 'reject', feedback: 'no' })
      assert.deepEqual([run.status, run.error.code, run.nodeStates.then], ['failed', 'approval_rejected', undefined])
    })

    test('the decision is recorded under the key that made the call, whatever the answer says', async () => {
      const runId = await startWaiting(call, 'approval')
      await complete(runId, { action: 'accept', decidedBy: 'the board', decidedAt: '1999-01-01T00:00:00Z' })
      const received = (await eventsOf(call, runId)).find(({ type }) => type === 'approval.received')
      assert.match(received.payload.decidedBy, /^key:/)
      assert.notEqual(received.payload.decidedAt, '1999-01-01T00:00:00Z')
    })

    test('a request for more information leaves the interrupt open', async () => {
      const runId = await startWaiting(call, 'approval')
      for (const _round of [1, 2, 3]) {
        const asked = await answer(runId, { action: 'ask', question: 'Which one?' })
        assert.deepEqual([asked.status, asked.body.status], [200, 'waiting-approval'])
      }
      assert.equal((await complete(runId, { action: 'accept' })).status, 'completed')
    })

    test('a clarification needs an answer to every question, and accepts no other', async () => {
      const wrong = [
        null,
        'blue',
        [],
        {},
        { answers: null },
        { answers: 'blue' },
        { answers: {} },
        { answers: [] },
        { answers: { q1: 'blue' } },
      ]
      const empty = [
        { q1: 'blue', q2: null },
        { q1: 'blue', q2: '' },
        { q1: 'blue', Q2: 'x' },
      ].map((answers) => ({ answers }))
      const extra = [
        { q1: 'a', q2: 'b', q3: 'c' },
        { q1: 'a', q2: 'b', [canary]: 'c' },
      ].map((answers) => ({ answers }))
      const lists = [
        [{ id: 'q1', answer: 'a' }],
        [
          { id: 'q1', answer: 'a' },
          { id: 2, answer: 'b' },
        ],
        [{ id: 'q1', answer: 'a' }, null],
        ['a', 'b'],
        [
          ['q1', 'a'],
          ['q2', 'b'],
        ],
      ]
      await refuseAll('clarification', [...wrong, ...empty, ...extra, ...lists.map((answers) => ({ answers }))])
    })

    test('an item without an answer in a list of answers is refused', async () => {
      const answers = [{ id: 'q1', answer: 'a' }, { id: 'q2' }]
      await refuseAll('clarification', [{ answers }])
    })

    test('answers as a list and as an object have the same effect', async () => {
      const answers = { q1: 'blue', q2: { because: [1, false, null] } }
      const list = Object.entries(answers).map(([id, answer]) => ({ id, answer }))
      for (const given of [answers, list]) {
        const run = await complete(await startWaiting(call, 'clarification'), { answers: given })
        assert.deepEqual([run.status, run.variables.answer], ['completed', { answers }])
      }
    })

    test('an external event must be the expected one', async () => {
      const place = { city: 'Bern' }
      const runId = await refuseAll(
        'event',
        [
          null,
          7,
          'x',
          [],
          {},
          { order: 7 },
          { order: '7', place },
          { order: 8, place },
          { order: 7, place: { city: 'bern' } },
          { order: 7, place: { ...place, zip: 1 } },
          { data: { order: 7, place } },
          [{ order: 7, place }],
          { order: canary, place },
        ],
        422,
        'interrupt_mismatch',
      )
      const run = await complete(runId, { place, order: 7, paid: true })
      assert.deepEqual([run.status, run.variables.answer], ['completed', { place, order: 7, paid: true }])
      await refuseAll('any-event', [null, 'x', 1, []], 422, 'interrupt_mismatch')
    })

    test('other interrupts accept any value, or what their schema accepts', async () => {
      for (const value of [null, 0, '', false, [], { deep: [{ er: 1 }] }]) {
        const run = await complete(await startWaiting(call, 'custom'), value)
        assert.deepEqual([run.status, run.variables.answer], ['completed', value])
      }
      const runId = await refuseAll('strict', [
        null,
        1,
        [],
        {},
        { n: 0 },
        { n: 1.5 },
        { n: '1' },
        { n: 1, more: 1 },
        { n: canary },
      ])
      assert.deepEqual((await complete(runId, { n: 1 })).variables.answer, { n: 1 })
    })

    test('a body without an answer is refused', async () => {
      const runId = await startWaiting(call, 'custom')
      for (const body of [
        '',
        '{}',
        'null',
        '[]',
        '1',
        '{"value":1}',
        '{"ResumeValue":1}',
        '{"resumeValue":{"__proto__":1}}',
      ])
        assertError(await call('POST', `/v1/runs/${runId}/interrupts/ask`, body), 400, 'validation_error')
      const large = await answer(runId, 'x'.repeat(65_535))
      assertError(large, 400, 'validation_error')
      assert.equal(large.body.details.limit, 'resumeValueBytesMax')
      assertError(await answer(runId, { text: 'a\u0000' }), 400, 'validation_error')
      // As large as it may be, with a member that is not known.
      const most = { resumeValue: 'x'.repeat(65_534), unknown: 1 }
      assert.equal((await call('POST', `/v1/runs/${runId}/interrupts/ask`, most)).status, 200)
      assert.equal((await ended(call, runId)).variables.answer.length, 65_534)
    })
  })
}
