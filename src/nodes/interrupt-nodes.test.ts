import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refusedField, requestOf } from '../../test/support/node-requests.ts'
import type { NodeResult, NodeType } from '../app/runs/node-type.ts'
import { approvalGate } from './approval-gate.ts'
import { clarificationGate } from './clarification-gate.ts'
import { interrupt } from './interrupt-gate.ts'

const questions = [{ id: 'when', question: 'When?' }]

/** Each type that asks a question, with the smallest config it accepts. */
const askers: readonly (readonly [NodeType, Record<string, unknown>])[] = [
  [approvalGate, {}],
  [clarificationGate, { questions }],
  [interrupt, { kind: 'custom' }],
]

async function askedOf(type: NodeType, config: Record<string, unknown>, raw = config) {
  const result: NodeResult = await type.execute(requestOf({ config, raw }))
  assert.ok(result.kind === 'interrupt', result.kind)
  return result
}

const failureCode = (result: NodeResult) => (result.kind === 'failed' ? result.error.code : result.kind)

for (const [type, config] of askers) {
  describe(`the question of ${type.typeId}`, () => {
    test('has the id of the node as its key', async () => {
      const { request, eventRequest } = await askedOf(type, config)
      assert.equal(request.key, 'step')
      assert.deepEqual(eventRequest, request)
      assert.ok(!('timeoutMs' in request))
    })

    test('fails the node when the timeout has passed', async () => {
      assert.equal(failureCode(await type.execute(requestOf({ config, isTimedOut: true }))), 'interrupt_timeout')
    })

    test('has the timeout of the config, 0 included', async () => {
      for (const timeoutMs of [0, 60_000]) {
        const { request, eventRequest } = await askedOf(type, { ...config, timeoutMs })
        assert.deepEqual([request.timeoutMs, eventRequest.timeoutMs], [timeoutMs, timeoutMs])
      }
    })

    test('may have a template as timeout; its resolved value must be a count', async () => {
      assert.equal(refusedField(type, { ...config, timeoutMs: '{{variables.wait}}' }), null)
      for (const timeoutMs of ['500', -1, 0.5, null])
        await assert.rejects(type.execute(requestOf({ config: { ...config, timeoutMs } })), {
          code: 'validation_error',
          details: { field: 'timeoutMs', min: 0 },
        })
    })

    test('has the resolved timeout in events too', async () => {
      const raw = { ...config, timeoutMs: '{{variables.wait}}' }
      const { eventRequest } = await askedOf(type, { ...config, timeoutMs: 5 }, raw)
      assert.equal(eventRequest.timeoutMs, 5)
    })

    test('is refused at registration if its timeout is not a count', () => {
      for (const timeoutMs of [-1, 1.5, null, true])
        assert.equal(refusedField(type, { ...config, timeoutMs }), 'timeoutMs')
    })

    test('may have unknown members in its config', () => {
      assert.equal(refusedField(type, { ...config, colour: 'red' }), null)
    })

    test('completes the node with the members of the answer as outputs', async () => {
      const value = { action: 'accept', answers: { when: 'now' } }
      const resolution = { value, by: 'ada' }
      assert.deepEqual(await type.execute(requestOf({ config, resolution })), { kind: 'completed', outputs: value })
    })

    test('sets the variable that into names to the whole answer', async () => {
      const resolution = { value: { action: 'accept' }, by: null }
      const result = await type.execute(requestOf({ config: { ...config, into: 'answer' }, resolution }))
      assert.deepEqual(result, {
        kind: 'completed',
        outputs: resolution.value,
        variables: { answer: resolution.value },
      })
    })

    test('sets no variable if into is empty or not a string', async () => {
      const resolution = { value: { action: 'accept' }, by: null }
      for (const into of ['', 7, null]) {
        const result = await type.execute(requestOf({ config: { ...config, into }, resolution }))
        assert.deepEqual(result, { kind: 'completed', outputs: resolution.value }, String(into))
      }
    })
  })
}

test('an answer that is not an object becomes the output named value', async () => {
  for (const value of ['yes', 7, null, ['a']]) {
    const request = requestOf({ config: { kind: 'custom', into: 'answer' }, resolution: { value, by: null } })
    assert.deepEqual(await interrupt.execute(request), {
      kind: 'completed',
      outputs: { value },
      variables: { answer: value },
    })
  }
})

test('a rejected approval fails the node', async () => {
  const resolution = { value: { action: 'reject', note: 'Too expensive.' }, by: 'ada' }
  const result = await approvalGate.execute(requestOf({ config: { into: 'decision' }, resolution }))
  assert.equal(failureCode(result), 'approval_rejected')
})

test('every action but a rejection completes the approval', async () => {
  for (const action of ['accept', 'refine', 'edit-accept', 'ask']) {
    const result = await approvalGate.execute(requestOf({ resolution: { value: { action }, by: null } }))
    assert.deepEqual(result, { kind: 'completed', outputs: { action } })
  }
})

test('an approval asks to accept or reject, under the name of the node', async () => {
  assert.deepEqual((await askedOf(approvalGate, {})).request, {
    kind: 'approval',
    key: 'step',
    data: { artifactId: 'step', artifactType: 'approval', title: 'The step', actions: ['accept', 'reject'] },
  })
})

test('an approval asks with the texts and lists of its config, and each action once', async () => {
  const config = {
    title: 'Send it?',
    artifactId: 'mail-7',
    artifactType: 'mail',
    actions: ['refine', 'accept', 'refine'],
    approversList: ['ada'],
    requiredApprovals: 1,
    artifactData: { to: 'bob' },
  }
  const { request } = await askedOf(approvalGate, config)
  assert.deepEqual(request.data, { ...config, actions: ['refine', 'accept'] })
})

test('an approval uses its defaults for empty texts and for texts that are not strings', async () => {
  const { request } = await askedOf(approvalGate, { title: '', artifactId: 7, artifactType: null })
  const { title, artifactId, artifactType } = request.data
  assert.deepEqual([title, artifactId, artifactType], ['The step', 'step', 'approval'])
})

test('events show a question as the workflow has it, without resolved values', async () => {
  const approval = await askedOf(approvalGate, { title: 'Send to Ada?' }, { title: 'Send to {{variables.person}}?' })
  assert.equal(approval.request.data.title, 'Send to Ada?')
  assert.equal(approval.eventRequest.data.title, 'Send to {{variables.person}}?')
  const raw = { questions: [{ id: 'when', question: 'When does {{variables.person}} come?' }] }
  const clarification = await askedOf(clarificationGate, { questions }, raw)
  assert.deepEqual(clarification.request.data, { questions })
  assert.deepEqual(clarification.eventRequest.data, raw)
  const custom = await askedOf(
    interrupt,
    { kind: 'custom', data: { payload: 'Ada' } },
    { kind: 'custom', data: { payload: '{{variables.person}}' } },
  )
  assert.deepEqual(custom.request.data, { customKind: 'step', payload: 'Ada' })
  assert.deepEqual(custom.eventRequest.data, { customKind: 'step', payload: '{{variables.person}}' })
})

test('an approval accepts a list of known actions only', () => {
  assert.equal(refusedField(approvalGate, { actions: ['accept', 'reject', 'refine', 'edit-accept', 'ask'] }), null)
  for (const actions of [[], 'accept', ['accept', 'maybe'], [['accept']], null, { 0: 'accept' }])
    assert.equal(refusedField(approvalGate, { actions }), 'actions', JSON.stringify(actions))
})

test('a clarification needs questions with a text and different ids', () => {
  const one = { id: 'a', question: 'A?' }
  assert.equal(refusedField(clarificationGate, { questions: [one, { ...one, id: 'b' }] }), null)
  const wrong = [
    undefined,
    [],
    {},
    'A?',
    [null],
    ['A?'],
    [{ id: 'a' }],
    [{ ...one, id: '' }],
    [{ ...one, question: '' }],
    [{ ...one, id: 7 }],
    [one, { question: 'B?' }],
    [one, { ...one, question: 'B?' }],
  ]
  for (const given of wrong)
    assert.equal(refusedField(clarificationGate, { questions: given }), 'questions', JSON.stringify(given))
})

test('a clarification asks with id, question and schema, and with nothing else of a question', async () => {
  const config = {
    contextType: 'travel',
    questions: [
      { id: 'a', question: 'A?', schema: { type: 'string' }, internal: 'x' },
      { id: 'b', question: 'B?', schema: 'string' },
    ],
  }
  assert.deepEqual((await askedOf(clarificationGate, config)).request, {
    kind: 'clarification',
    key: 'step',
    data: {
      contextType: 'travel',
      questions: [
        { id: 'a', question: 'A?', schema: { type: 'string' } },
        { id: 'b', question: 'B?' },
      ],
    },
  })
})

test('a clarification leaves out a context type that is not a string', async () => {
  assert.deepEqual((await askedOf(clarificationGate, { questions, contextType: 7 })).request.data, { questions })
})

test('an interrupt waits for an external event or a custom value, and for no other kind', () => {
  for (const kind of ['external-event', 'custom']) assert.equal(refusedField(interrupt, { kind }), null)
  for (const kind of [undefined, null, '', 'approval', 'clarification', ['custom']])
    assert.equal(refusedField(interrupt, { kind }), 'kind', String(kind))
})

test('the data of an interrupt is an object, and so is the correlation of an external event', () => {
  for (const data of [null, [], 'x', 7]) assert.equal(refusedField(interrupt, { kind: 'custom', data }), 'data')
  for (const correlation of [null, [], 'x']) {
    const data = { correlation }
    assert.equal(refusedField(interrupt, { kind: 'external-event', data }), 'data.correlation')
    assert.equal(refusedField(interrupt, { kind: 'custom', data }), null, 'a custom value has no correlation')
  }
})

test('an interrupt refuses a resume schema that this host cannot check', () => {
  const check = (resumeSchema: unknown) => () => interrupt.checkConfig?.({ kind: 'custom', resumeSchema }, 'config')
  check({ type: 'object', required: ['ok'] })()
  for (const resumeSchema of [null, [], 'string', { $ref: '#/x' }, { madeUp: true }])
    assert.throws(check(resumeSchema), { code: 'validation_error' }, JSON.stringify(resumeSchema))
})

test('an external event is named after its node and correlates with nothing by default', async () => {
  const { request } = await askedOf(interrupt, { kind: 'external-event' })
  assert.deepEqual(request, {
    kind: 'external-event',
    key: 'step',
    data: { eventType: 'step', correlation: {} },
  })
})

test('an external event has the type and the correlation of its data, and no other member', async () => {
  const data = { eventType: 'paid', correlation: { order: 7 }, payload: 'x' }
  const { request } = await askedOf(interrupt, { kind: 'external-event', data })
  assert.deepEqual(request.data, { eventType: 'paid', correlation: { order: 7 } })
})

test('a custom interrupt has the kind and the payload of its data, null included, and no other member', async () => {
  const asked = async (data?: object) =>
    (await askedOf(interrupt, { kind: 'custom', ...(data && { data }) })).request.data
  assert.deepEqual(await asked(), { customKind: 'step' })
  assert.deepEqual(await asked({ customKind: 'scan', payload: null, eventType: 'x' }), {
    customKind: 'scan',
    payload: null,
  })
})

test('an interrupt has the key of its config unless it is empty or not a string', async () => {
  const keyOf = async (key: unknown) => (await askedOf(interrupt, { kind: 'custom', key })).request.key
  assert.deepEqual([await keyOf('order-7'), await keyOf(''), await keyOf(7)], ['order-7', 'step', 'step'])
})

test('an interrupt asks with its resume schema', async () => {
  const resumeSchema = { type: 'object' }
  assert.deepEqual((await askedOf(interrupt, { kind: 'custom', resumeSchema })).request.resumeSchema, resumeSchema)
  assert.ok(!('resumeSchema' in (await askedOf(interrupt, { kind: 'custom' })).request))
})
