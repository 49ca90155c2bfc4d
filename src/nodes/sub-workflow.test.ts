import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedField, requestOf } from '../../test/support/node-requests.ts'
import type { NodeResult } from '../app/runs/node-type.ts'
import type { Run, RunStatus } from '../core/run/run.ts'
import { subWorkflow } from './sub-workflow.ts'

const scope = {
  inputs: { person: 'ada' },
  variables: { city: 'Graz', list: [1, 2], inputs: 'a variable named inputs' },
  outputs: { find: { count: 2 } },
}

async function childOf(config: Record<string, unknown>, inputs: Record<string, unknown> = {}) {
  const result = await subWorkflow.execute(requestOf({ config: { workflowId: 'visit', ...config }, inputs, scope }))
  assert.ok(result.kind === 'child', result.kind)
  return result.child
}

const ended = (status: RunStatus, variables: Record<string, unknown> = {}) =>
  ({ runId: 'run_2', status, text: { variables } }) as unknown as Run

function afterChild(child: Run | null, config: Record<string, unknown> = {}) {
  const state = { childRunId: 'run_2' }
  return subWorkflow.execute(requestOf({ config: { workflowId: 'visit', ...config }, state, child }))
}

function assertFailedAs(status: string, result: NodeResult) {
  assert.ok(result.kind === 'failed', result.kind)
  assert.equal(result.error.code, 'child_run_failed')
  assert.ok(result.error.message.includes(status), result.error.message)
}

test('a sub-workflow needs the name of a workflow', () => {
  assert.equal(refusedField(subWorkflow, { workflowId: 'visit' }), null)
  for (const workflowId of [undefined, '', 7, null])
    assert.equal(refusedField(subWorkflow, { workflowId }), 'workflowId')
})

test('the mappings of a sub-workflow are objects of names', () => {
  for (const name of ['inputMapping', 'outputMapping']) {
    for (const mapping of [{}, { a: 'b' }])
      assert.equal(refusedField(subWorkflow, { workflowId: 'visit', [name]: mapping }), null)
    for (const mapping of [null, [], ['a'], 'a', { a: '' }, { a: 7 }, { a: 'b', c: {} }])
      assert.equal(refusedField(subWorkflow, { workflowId: 'visit', [name]: mapping }), name, JSON.stringify(mapping))
  }
})

test('a sub-workflow refuses an unknown reaction to a failed child and an unknown isolation', () => {
  const known = { onChildFailure: ['fail-parent', 'continue', 'ignore'], memoryScopeIsolation: ['shared', 'isolated'] }
  for (const [name, values] of Object.entries(known)) {
    for (const value of values) assert.equal(refusedField(subWorkflow, { workflowId: 'visit', [name]: value }), null)
    for (const value of ['', 'other', null, true, 7])
      assert.equal(refusedField(subWorkflow, { workflowId: 'visit', [name]: value }), name, String(value))
  }
})

test('the first execution starts a child that shares memory and is waited for', async () => {
  assert.deepEqual(await childOf({}, { a: 1 }), {
    workflowId: 'visit',
    inputs: { a: 1 },
    isIsolated: false,
    isDetached: false,
  })
})

test('a child is isolated or detached only if the config says exactly so', async () => {
  assert.equal((await childOf({ memoryScopeIsolation: 'isolated' })).isIsolated, true)
  assert.equal((await childOf({ memoryScopeIsolation: 'shared' })).isIsolated, false)
  assert.equal((await childOf({ waitForCompletion: false })).isDetached, true)
  for (const waitForCompletion of [true, null, 0, 'false'])
    assert.equal((await childOf({ waitForCompletion })).isDetached, false, String(waitForCompletion))
})

test('an input mapping takes variables by name, paths, and templates', async () => {
  const inputMapping = {
    town: 'city',
    all: 'list',
    second: 'list.1',
    who: 'inputs.person',
    same: 'variables.city',
    found: 'outputs.find.count',
    text: '{{inputs.person}} in {{variables.city}}',
    typed: '{{variables.list}}',
    odd: 'inputs',
  }
  assert.deepEqual((await childOf({ inputMapping })).inputs, {
    town: 'Graz',
    all: [1, 2],
    second: 2,
    who: 'ada',
    same: 'Graz',
    found: 2,
    text: 'ada in Graz',
    typed: [1, 2],
    odd: 'a variable named inputs',
  })
})

test('an input mapping wins over a port of the same name', async () => {
  const child = await childOf({ inputMapping: { town: 'city' } }, { town: 'Wien', more: 1 })
  assert.deepEqual(child.inputs, { town: 'Graz', more: 1 })
})

test('a mapped variable that is not set does not arrive', async () => {
  const inputMapping = { town: 'city', a: 'unknown', b: 'constructor' }
  assert.deepEqual((await childOf({ inputMapping })).inputs, { town: 'Graz' })
})

test('an input mapping by a path or a template that names nothing in the run is refused', async () => {
  for (const source of ['variables.unknown', 'inputs.unknown', 'outputs.find.unknown', '{{variables.unknown}}'])
    await assert.rejects(childOf({ inputMapping: { a: source } }), { code: 'template_unresolved' }, source)
})

test('the input mapping is raw config, so that a value that looks like a template is not resolved', async () => {
  assert.deepEqual(subWorkflow.rawConfig, ['inputMapping'])
  const variables = { note: '{{variables.hidden}}', hidden: 'secret' }
  const config = { workflowId: 'visit', inputMapping: { note: 'note' } }
  const result = await subWorkflow.execute(requestOf({ config, scope: { ...scope, variables } }))
  assert.ok(result.kind === 'child')
  assert.deepEqual(result.child.inputs, { note: '{{variables.hidden}}' })
})

test('a completed child gives its status and the mapped variables', async () => {
  const child = ended('completed', { answer: 42, other: 'x', nothing: null })
  const outputMapping = { result: 'answer', empty: 'nothing' }
  assert.deepEqual(await afterChild(child, { outputMapping }), {
    kind: 'completed',
    outputs: { status: 'completed' },
    eventOutputs: { childRunId: 'run_2', childStatus: 'completed' },
    variables: { result: 42, empty: null },
  })
})

test('an output mapping leaves out variables that the child does not have itself', async () => {
  const outputMapping = { a: 'missing', b: 'constructor', c: 'toString', d: 'answer' }
  const result = await afterChild(ended('completed', { answer: 42 }), { outputMapping })
  assert.ok(result.kind === 'completed')
  assert.deepEqual(result.variables, { d: 42 })
})

test('a child that ended otherwise fails the node by default', async () => {
  for (const status of ['failed', 'cancelled'] as const)
    for (const config of [{}, { onChildFailure: 'fail-parent' }])
      assertFailedAs(status, await afterChild(ended(status, { answer: 42 }), config))
})

test('a child that is not stored any more counts as ended in an unknown way', async () => {
  assertFailedAs('unknown', await afterChild(null))
  assert.deepEqual(await afterChild(null, { onChildFailure: 'ignore', outputMapping: { a: 'b' } }), {
    kind: 'completed',
    outputs: { status: 'unknown' },
    eventOutputs: { childRunId: 'run_2' },
    variables: {},
  })
})

test('a node that continues after a failed child takes none of its variables', async () => {
  for (const onChildFailure of ['absorb', 'continue', 'ignore']) {
    const config = { onChildFailure, outputMapping: { result: 'answer' } }
    assert.deepEqual(await afterChild(ended('failed', { answer: 42 }), config), {
      kind: 'completed',
      outputs: { status: 'failed' },
      eventOutputs: { childRunId: 'run_2', childStatus: 'failed' },
      variables: {},
    })
  }
})
