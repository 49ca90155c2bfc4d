import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { NodeState, Run, RunFacts, RunText } from '../../core/run/run.ts'
import { RunProgress } from '../../core/run/run-progress.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import { writesOfChild } from './children.ts'
import { dropUnstoredChildren } from './end-run.ts'
import { boundsOf, checkKnownOptions, toNewRunStep } from './new-run.ts'
import { applyPendingPause, pauseImmediately } from './pause.ts'
import { parseListOptions } from './run-search.ts'
import { assertSnapshotReadable, assertSnapshotRetained } from './run-snapshot.ts'
import { breachOf, deadlineOf } from './timers.ts'

const workflow = (timeout?: number) => ({ settings: timeout === undefined ? {} : { timeout } }) as WorkflowDefinition
const bounds = { nodeExecutionsMax: 10, durationMs: 1_000 }
const refuses = (call: () => unknown, code: string) =>
  assert.throws(call, (error) => isColophonError(error, code as never))

function runOf(facts: Partial<RunFacts> = {}, text: Partial<RunText> = {}, more: Partial<Run> = {}): Run {
  const { run } = toNewRunStep({
    runId: 'run_1',
    workflowId: 'visit',
    workflowVersion: 1,
    facts: { actor: 'test', jobId: 'job_1', bounds, ...facts },
    text: { inputs: {}, variables: {}, configurable: {}, ...text },
  })
  const stored = { revision: 1, nextSequence: 0, snapshot: { position: 0, at: 0 } }
  return { ...run, ...stored, createdAt: 0, updatedAt: 0, endedAt: null, ...more }
}

const node = (status: NodeState['status'], more: Partial<NodeState> = {}): NodeState => ({
  status,
  attempt: 1,
  calls: 0,
  startedAt: 0,
  ...more,
})
const asked = (resolution: null | { value: unknown; by: null }) => ({
  interruptId: 'i1',
  request: { kind: 'custom' as const, key: 'k', data: {} },
  askedAt: 0,
  deadline: null,
  resolution,
})
const fork = (mode: 'replay' | 'branch') => ({
  sourceRunId: 'run_0',
  fromSeq: 0,
  mode,
  writerRunId: 'run_0',
  by: 'test',
})

test('the limits of a run are the smallest of those of request, workflow and host', () => {
  const host = { nodeExecutionsMax: limits.runNodeExecutionsMax, durationMs: limits.runDurationMsMax }
  assert.deepEqual(boundsOf(workflow(), {}), host)
  assert.deepEqual(boundsOf(workflow(5_000), {}), { ...host, durationMs: 5_000 })
  assert.deepEqual(boundsOf(workflow(5_000), { runTimeoutMs: 2_000 }), { ...host, durationMs: 2_000 })
  assert.deepEqual(boundsOf(workflow(1_000), { runTimeoutMs: 2_000 }), { ...host, durationMs: 1_000 })
  assert.deepEqual(boundsOf(workflow(0), { recursionLimit: 3 }), { ...host, nodeExecutionsMax: 3 })
  const above = { recursionLimit: 10 ** 6, runTimeoutMs: limits.runDurationMsMax + 1 }
  assert.deepEqual(boundsOf(workflow(), above), host)
  for (const configurable of [
    { runTimeoutMs: 0 },
    { runTimeoutMs: '5' },
    { recursionLimit: 0 },
    { recursionLimit: 1.5 },
  ]) {
    refuses(() => boundsOf(workflow(), configurable), 'validation_error')
  }
})

test('options that the host knows are checked, others are kept', () => {
  checkKnownOptions({ temperature: 2, maxTokens: 1, model: 'any', anything: { goes: true } })
  for (const configurable of [
    { temperature: -0.1 },
    { temperature: 2.1 },
    { temperature: '1' },
    { temperature: Number.NaN },
    { maxTokens: 0 },
    { ai: { provider: 'acme' } },
    { 'ai.provider': 'acme' },
  ]) {
    refuses(() => checkKnownOptions(configurable), 'validation_error')
  }
})

test('options of providers are refused, because the host has none', () => {
  checkKnownOptions({ provider: 'of the workflow', credentialRef: 'also', ai: { temperature: 1 }, 'ai.model': 'any' })
  for (const ai of [{ credentialRef: 'ref' }, { credentialRef: '', provider: undefined }])
    for (const configurable of [{ ai }, { 'ai.credentialRef': ai.credentialRef }])
      refuses(() => checkKnownOptions(configurable), 'credential_forbidden')
  for (const configurable of [{ mockProvider: {} }, { ai: { mockProvider: {} } }, { 'ai.mockProvider': {} }])
    refuses(() => checkKnownOptions(configurable), 'mock_provider_forbidden')
  for (const ai of [null, 1, 'x', []]) checkKnownOptions({ ai })
})

test('a run times out one millisecond after its limit, and a replay has no time limit', () => {
  const progress = new RunProgress(runOf({ startedAt: 500 }))
  assert.equal(deadlineOf(progress), 1_500)
  assert.equal(breachOf(progress, 1_500), null)
  const breach = breachOf(progress, 1_501)
  assert.deepEqual(
    [breach?.error.code, breach?.facts],
    ['run_timeout', { kind: 'run-duration', limit: 1_000, observed: 1_001 }],
  )
  assert.equal(breachOf(new RunProgress(runOf({ startedAt: null })), 10 ** 12), null)
  assert.equal(breachOf(new RunProgress(runOf({ startedAt: 500, fork: fork('replay') })), 10 ** 12), null)
  assert.notEqual(breachOf(new RunProgress(runOf({ startedAt: 500, fork: fork('branch') })), 10 ** 12), null)
})

test('a pause takes effect between two nodes, and nodes that wait for an answer do not delay it', () => {
  const pause = { drainPolicy: 'drain-current-node', at: null, by: 'bob' } as const
  const isInForce = (nodes: RunFacts['nodes'], text: Partial<RunText> = {}) =>
    applyPendingPause(new RunProgress(runOf({ pause, nodes }, text)), 7)
  assert.equal(applyPendingPause(new RunProgress(runOf({ pause: null })), 7), false)
  assert.equal(isInForce({}), true)
  assert.equal(isInForce({ a: node('completed') }), true)
  assert.equal(isInForce({ a: node('running') }), false)
  assert.equal(isInForce({ a: node('waiting', { wakeAt: 9 }) }), false)
  assert.equal(isInForce({ a: node('waiting') }, { interrupts: { a: asked(null) } }), true)
})

test('a pause that has taken effect does not change', () => {
  const pause = { drainPolicy: 'immediate', at: 3, by: 'bob' } as const
  const progress = new RunProgress(runOf({ pause, nodes: { a: node('running') } }))
  assert.equal(applyPendingPause(progress, 7), true)
  assert.deepEqual([progress.facts.pause?.at, progress.events], [3, []])
})

test('an immediate pause resets running and sleeping nodes, keeps those that wait for answers or children, and counts the attempts', () => {
  const pause = { drainPolicy: 'immediate', at: null, by: 'bob' } as const
  const nodes = {
    done: node('completed'),
    running: node('running', { attempt: 2, calls: 3 }),
    sleeping: node('waiting', { wakeAt: 9 }),
    asking: node('waiting'),
    parent: node('waiting', { childRunId: 'run_2' }),
  }
  const progress = new RunProgress(
    runOf({ pause, nodes }, { interrupts: { asking: asked(null) }, pauseReason: 'lunch' }),
  )
  pauseImmediately(progress, 7)
  assert.deepEqual(Object.keys(progress.facts.nodes), ['done', 'asking', 'parent'])
  assert.deepEqual(progress.facts.tried, { running: { attempt: 2, calls: 3 }, sleeping: { attempt: 1, calls: 0 } })
  assert.deepEqual([progress.status, progress.facts.pause?.at], ['paused', 7])
  assert.deepEqual(progress.events, [
    {
      type: 'run.paused',
      nodeId: null,
      facts: { drainPolicy: 'immediate', by: 'bob' },
      text: { reason: 'lunch' },
    },
  ])
})

test('a parent sees the writes of a child that completed and shares its memory, and of no other', () => {
  const parent = { runId: 'run_0', nodeId: 'inner', jobId: 'job_0', depth: 1, isIsolated: false }
  const own = [
    { runId: 'run_0', beforeSequence: 4 },
    { runId: 'run_3', beforeSequence: 9 },
  ]
  const child = runOf({ parent, own, ownGiven: 1 }, {}, { status: 'completed' })
  assert.deepEqual(writesOfChild(child), [
    { runId: 'run_1', beforeSequence: Number.MAX_SAFE_INTEGER },
    { runId: 'run_3', beforeSequence: 9 },
  ])
  assert.deepEqual(writesOfChild({ ...child, status: 'failed' }), [])
  assert.deepEqual(writesOfChild(runOf({ parent: { ...parent, isIsolated: true } }, {}, { status: 'completed' })), [])
  assert.deepEqual(writesOfChild(runOf({}, {}, { status: 'completed' })), [])
  assert.deepEqual(writesOfChild(null), [])
})

test('a child run of the step in which its parent fails is not stored', () => {
  const nodes = {
    old: node('waiting', { childRunId: 'run_old' }),
    fresh: node('waiting', { childRunId: 'run_new' }),
  }
  const progress = new RunProgress(runOf({ nodes }))
  progress.otherSteps.push(toNewRunStep({ ...newRun, runId: 'run_new' }))
  dropUnstoredChildren(progress)
  assert.deepEqual(progress.otherSteps, [])
  assert.deepEqual([progress.node('old')?.childRunId, progress.node('fresh')], ['run_old', node('waiting')])
})

const newRun = {
  workflowId: 'visit',
  workflowVersion: 1,
  facts: { actor: 'test', jobId: 'job_2', bounds },
  text: { inputs: {}, variables: {}, configurable: {} },
}

test('the snapshot of an active run is retained for snapshotHoldDaysMax days; for an ended run pruning decides', () => {
  const holdMs = limits.snapshotHoldDaysMax * 24 * 60 * 60 * 1_000
  assertSnapshotRetained(runOf(), holdMs)
  refuses(() => assertSnapshotRetained(runOf(), holdMs + 1), 'snapshot_expired')
  refuses(() => assertSnapshotReadable(runOf({}, {}, { status: 'running' }), holdMs + 1), 'snapshot_expired')
  assertSnapshotReadable(runOf({}, {}, { status: 'completed' }), holdMs + 1)
  refuses(() => assertSnapshotReadable(runOf({ expired: true }, {}, { status: 'completed' }), 0), 'snapshot_expired')
})

test('a list of a node has a default and a largest limit, and a budget of at least one token', () => {
  const shown = (options: object) => parseListOptions(options).limit
  assert.deepEqual(
    [shown({}), shown({ limit: 0 }), shown({ limit: 3 }), shown({ limit: 10 ** 6 })],
    [limits.pageEntriesDefault, limits.pageEntriesDefault, 3, limits.pageEntriesMax],
  )
  for (const options of [{ limit: -1 }, { limit: 1.5 }, { tokenBudget: 0 }, { tag: 7 }]) {
    refuses(() => parseListOptions(options as object), 'validation_error')
  }
})
