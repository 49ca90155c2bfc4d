import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../../src/app/engine.ts'
import { pauseRun } from '../../src/app/runs/control.ts'
import { executeRun } from '../../src/app/runs/execute-run.ts'
import { forkRun } from '../../src/app/runs/fork-run.ts'
import { createInterruptToken, resolveInterrupt } from '../../src/app/runs/resolve-interrupt.ts'
import { limits } from '../../src/core/limits.ts'
import type { Run, RunEvent } from '../../src/core/run/run.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { rejectsWith } from '../contract/suite/assert-code.ts'
import { Case, child, delay, drive, fail, gate, inTurn, list, next, put, sideBySide, start } from './run-cases.ts'
import { checkReplay, fork, memoryState } from './run-forks.ts'
import type { NodeKind } from './run-plan.ts'
import { readRunRecord } from './run-view.ts'
import type { World } from './run-world.ts'

/** What a fork begins with, and what must not happen to it. */

const clock = (by: number) => next({ do: 'clock', by })
const pause = (isImmediate: boolean) => next({ do: 'pause', nth: 0, isImmediate })
const hurried: NodeKind = { kind: 'gate', timeoutMs: 3 }

/** A fork that no worker drives yet. */
async function born(one: Case, mode: 'replay' | 'branch', place: string): Promise<Run> {
  const { run, events } = await one.record()
  const { engine, tenantId } = one.world
  const fromSeq = events.findIndex(({ type }) => type === place)
  const forked = await one.world.undisturbed(() => forkRun(engine.tenant(tenantId), run.runId, { mode, fromSeq }))
  return forked.run
}

test('a branch that begins in a pause is paused until a caller resumes it', async () => {
  for (const isImmediate of [false, true]) {
    const nodes = inTurn(isImmediate ? delay(2) : gate, put())
    const one = await Case.of(nodes, { commands: [start(), pause(isImmediate)] })
    const run = await born(one, 'branch', 'run.resumed')
    await one.world.driveDue()
    const rests = await readRunRecord(one.world, run.runId)
    assert.deepEqual([run.status, rests.run.status, rests.events.length], ['paused', 'paused', run.nextSequence])
    const branch = await one.branchFrom('run.resumed')
    assert.deepEqual([branch.run.status, branch.events[run.nextSequence]?.type], ['completed', 'run.resumed'])
  }
})

test('an interrupt that a branch inherits has its whole timeout again', async () => {
  const one = await Case.of(inTurn(hurried, put()), { commands: [start(), clock(5), drive] })
  assert.equal((await one.record()).run.text.error?.code, 'interrupt_timeout')
  for (const place of ['node.suspended', 'node.failed', 'end']) await one.replayFrom(place)
  const branch = await one.branchFrom('interrupt.resolved')
  assert.equal(branch.run.status, 'completed', 'there was time to answer it')
})

test('a child that a branch starts again sees what the branch sees', async () => {
  const one = await Case.of(sideBySide(child, put()), { inChild: inTurn(gate, list()) })
  const branch = await one.branchFrom('node.completed n1')
  const { run } = await readRunRecord(one.world, branch.run.facts.nodes.n0?.childRunId ?? '')
  assert.equal(run.facts.parent?.runId, branch.run.runId)
  assert.equal((run.text.variables.v1 as unknown[]).length, 1, 'what was written before the branch began')
})

test('a child without a waiting parent is created, also when its parent fails at once', async () => {
  const detached: NodeKind = { kind: 'sub', flow: 0, isIsolated: false, onFailure: 'fail-parent', isDetached: true }
  const one = await Case.of(inTurn(detached, fail), { inChild: inTurn(gate) })
  const { run } = await one.record()
  const begun = await readRunRecord(one.world, String(run.text.outputs.n0?.childRunId))
  assert.equal(begun.run.status, 'cancelled')
  await one.replayFrom(null)
  await one.branchFrom('node.started n1')
})

test('a replay of many events is stored in parts, and resumes with the next part after a crash', async () => {
  const one = await Case.of(Array.from({ length: 50 }, () => inTurn(put(), list(1))).flat())
  const source = await one.record()
  assert.ok(source.events.length > limits.runStepEventsMax, 'more than one step holds')
  for (const act of [
    { do: 'stop' },
    { do: 'crash', isAnswerLost: false },
    { do: 'crash', isAnswerLost: true },
  ] as const)
    checkReplay(source, await fork(one.world, source.run.runId, 'replay', 0, [{ before: 70, act }]))
})

test('a replay is neither paused nor answered', async () => {
  const one = await Case.of(inTurn(hurried), { commands: [start(), clock(5), drive] })
  const replay = await born(one, 'replay', 'node.failed')
  const { engine, tenantId } = one.world
  const place = { runId: replay.runId, nodeId: 'n0' }
  const answer = { value: { action: 'accept' }, by: null }
  await rejectsWith('run_state', pauseRun(engine.tenant(tenantId), replay.runId, {}))
  await rejectsWith('interrupt_already_resolved', resolveInterrupt(engine.tenant(tenantId), place, answer))
  assert.equal(await createInterruptToken(engine.tenant(tenantId), replay, 'n0'), null)
  await one.world.driveDue()
  checkReplay(await one.record(), await readRunRecord(one.world, replay.runId))
})

async function driveOn(world: World, runs: Partial<RunStore>, { runId }: Run): Promise<Run> {
  const { storage } = world.engine
  const engine: Engine = { ...world.engine, storage: { ...storage, runs: { ...storage.runs, ...runs } } }
  const job = await world.claim()
  const lease = { jobId: job?.jobId ?? '', leaseToken: job?.leaseToken ?? '', spent: false }
  await executeRun(engine.tenant(world.tenantId), runId, { lease, signal: new AbortController().signal })
  return (await readRunRecord(world, runId)).run
}

test('a replay whose record differs, or was deleted, fails and does nothing', async () => {
  const one = await Case.of(sideBySide(put(), put()))
  const source = await one.record()
  const before = await memoryState(one.world)
  const { runs } = one.world.engine.storage
  const other: Readonly<Record<string, string>> = { n0: 'n1', n1: 'n0' }
  const swap = (event: RunEvent) => ({ ...event, nodeId: other[event.nodeId ?? ''] ?? event.nodeId })
  const records: Readonly<Record<string, Partial<RunStore>>> = {
    'another order': { events: async (query) => (await runs.events(query)).map(swap) },
    'no calls': { calls: async () => [] },
    'no source': { get: async (tenantId, id) => (id === source.run.runId ? null : runs.get(tenantId, id)) },
  }
  for (const [what, record] of Object.entries(records)) {
    const replay = await driveOn(one.world, record, await born(one, 'replay', 'run.started'))
    assert.deepEqual([replay.status, replay.text.error?.code], ['failed', 'replay_source_missing'], what)
  }
  assert.deepEqual(await memoryState(one.world), before, 'memory is as it was')
})
