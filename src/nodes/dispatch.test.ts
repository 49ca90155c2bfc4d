import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedField, requestOf } from '../../test/support/node-requests.ts'
import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import type { Decision } from '../core/workflow/decision.ts'
import { dispatch } from './dispatch.ts'

const next = (...nextWorkerIds: string[]): Decision => ({ kind: 'next-worker', nextWorkerIds })

function act(decision: Decision | null, given: Parameters<typeof requestOf>[0] = {}): Promise<NodeResult> {
  const pending = decision && { value: decision, shown: decision }
  return dispatch.execute({
    ...requestOf(given),
    decision: pending,
    turn: 1,
    configurable: {},
  } as unknown as HostNodeRequest)
}

const codeOf = (result: NodeResult) => (result.kind === 'failed' ? result.error.code : result.kind)

test('the config of a dispatch node is closed', () => {
  const good = {
    askUserRouting: 'auto',
    workerDispatchModel: 'child-run',
    fanOutPolicy: 'reject',
    iterationCap: 1,
    inputMapping: { a: 'b' },
    outputMapping: {},
    perWorkerInputMappings: { w: { a: 'b' } },
    perWorkerOutputMappings: {},
    memoryScopeIsolation: 'isolated',
  }
  assert.equal(refusedField(dispatch, good), null)
  const wrong: readonly [string, unknown][] = [
    ['askUserRouting', 'phone'],
    ['workerDispatchModel', 'thread'],
    ['fanOutPolicy', 'parallel'],
    ['iterationCap', 0],
    ['inputMapping', { a: 1 }],
    ['outputMapping', []],
    ['perWorkerInputMappings', { w: 'a' }],
    ['memoryScopeIsolation', true],
  ]
  for (const [name, value] of wrong)
    assert.ok(refusedField(dispatch, { ...good, [name]: value })?.startsWith(name), name)
  assert.equal(refusedField(dispatch, { ...good, more: 1 }), '')
})

test('without a decision nothing is done, and a decision to terminate ends the loop', async () => {
  assert.equal(codeOf(await act(null)), 'no_pending_decision')
  assert.deepEqual(await act({ kind: 'terminate' }), { kind: 'completed', outputs: { decision: 'terminate' } })
})

test('workers are started in order, with their own mapping or the one for all', async () => {
  const config = {
    inputMapping: { x: 'a' },
    perWorkerInputMappings: { two: { y: 'b', z: 'missing' } },
    memoryScopeIsolation: 'isolated',
  }
  const scope = { inputs: {}, variables: { a: 1, b: 2 }, outputs: {} }
  const inputs = async (...done: string[]) => {
    const workers = done.map((runId) => ({ runId, status: 'completed' as const }))
    return act(next('one', 'two'), { config, scope, state: { workers } })
  }
  const first = await inputs()
  assert.ok(first.kind === 'worker')
  assert.deepEqual([first.child.workflowId, first.child.inputs, first.child.isIsolated], ['one', { x: 1 }, true])
  const second = await inputs('run_1')
  assert.ok(second.kind === 'worker')
  assert.deepEqual([second.child.workflowId, second.child.inputs], ['two', { y: 2 }])
  assert.deepEqual(await inputs('run_1', 'run_2'), {
    kind: 'completed',
    outputs: { childRunId: 'run_2', childStatus: 'completed' },
  })
})

test('a worker that did not complete, and a fan-out that the config refuses, fail the node', async () => {
  for (const status of ['failed', 'cancelled'] as const)
    assert.equal(
      codeOf(await act(next('one', 'two'), { state: { workers: [{ runId: 'r', status }] } })),
      'child_run_failed',
    )
  assert.equal(codeOf(await act(next('one'), { state: { childRunId: 'gone' } })), 'child_run_failed')
  const config = { fanOutPolicy: 'reject' }
  assert.equal(codeOf(await act(next('one', 'two'), { config })), 'fan_out_unsupported')
  assert.equal(codeOf(await act(next('one'), { config })), 'worker')
})

test('a decision below the floor waits for a person; one at the floor, or without a confidence, does not', async () => {
  const of = (confidence: number, given = {}) => act({ kind: 'next-worker', nextWorkerIds: ['w'], confidence }, given)
  const held = await of(0.49)
  assert.ok(held.kind === 'interrupt')
  assert.equal(held.request.kind, 'approval')
  assert.deepEqual([held.escalation?.confidence, held.escalation?.workerId], [0.49, 'w'])
  assert.equal((await of(0.5)).kind, 'worker')
  assert.equal((await act(next('w'))).kind, 'worker')
  assert.equal((await act({ kind: 'terminate', confidence: 0.1 })).kind, 'interrupt')
  const answer = (action: string) => ({ resolution: { value: { action }, by: 'key_1' } })
  assert.equal((await of(0.49, answer('accept'))).kind, 'worker')
  assert.equal(codeOf(await of(0.49, answer('reject'))), 'decision_rejected')
})
