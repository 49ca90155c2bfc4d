import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Case,
  child,
  delay,
  drive,
  fail,
  gate,
  identity,
  inTurn,
  list,
  malformed,
  next,
  put,
  remove,
  scratch,
  sideBySide,
  start,
} from './run-cases.ts'
import type { Command } from './run-script.ts'

/** Failures that the properties have found, shrunk to the smallest scenario and repeated every time. */

const clock = (by: number) => next({ do: 'clock', by })
const pause = (isImmediate: boolean) => next({ do: 'pause', nth: 0, isImmediate })
const cancel = next({ do: 'cancel', nth: 0 })

test('nodes that waited in parallel end in the same order in a replay', async () => {
  for (const waiting of [delay(1), gate, child]) {
    const one = await Case.of(sideBySide(waiting, put(), list()))
    await one.replayFrom(null)
  }
})

test('a replay from the middle of an interrupt opens it, and uses the recorded reply', async () => {
  const one = await Case.of(inTurn(gate, put()))
  const parts = ['node.suspended', 'interrupt.requested', 'approval.requested']
  const answer = ['interrupt.resolved', 'approval.received', 'node.resumed']
  for (const place of [...parts, ...answer]) await one.replayFrom(place)
})

test('a branch from the middle of an interrupt records the rest of its events', async () => {
  const one = await Case.of(inTurn(gate, put()))
  await one.branchFrom('interrupt.requested')
  await one.branchFrom('approval.received')
})

test('a node that failed before the fork stays failed', async () => {
  const one = await Case.of(sideBySide(fail, put()))
  for (const place of ['memory.written', 'run.failed', 'end']) {
    await one.replayFrom(place)
    assert.equal((await one.branchFrom(place)).run.status, 'failed')
  }
})

test('a timeout before the fork stays a timeout, and is recorded once', async () => {
  const one = await Case.of(inTurn(delay(2)), { commands: [start(), clock(5)], timeoutMs: 1 })
  for (const place of ['cap.breached', 'memory.written', 'run.failed']) await one.replayFrom(place)
})

test('a replay records the pauses of its source', async () => {
  const drained = await Case.of(inTurn(gate, put()), { commands: [start(), pause(false)] })
  for (const place of [null, 'run.paused', 'run.resumed', 'node.completed']) await drained.replayFrom(place)
  const cut = await Case.of(inTurn(delay(2), put()), { commands: [start(), pause(true)] })
  for (const place of [null, 'run.paused', 'run.resumed', 'node.completed']) await cut.replayFrom(place)
  const cutBeside = await Case.of(sideBySide(child, delay(2), put()), { commands: [start(), pause(true)] })
  for (const place of [null, 'node.started n1', 'run.resumed']) await cutBeside.replayFrom(place)
})

test('a node that a pause interrupted and a limit then stopped stays interrupted', async () => {
  const commands = [{ ...start(), nodesMax: 1 } as Command, pause(true)]
  const one = await Case.of(inTurn(delay(2)), { commands })
  assert.equal((await one.record()).run.text.error?.code, 'recursion_limit_exceeded')
  for (const place of [null, 'run.resumed', 'cap.breached']) await one.replayFrom(place)
})

test('a pause before the read of a node makes it read neither twice nor earlier', async () => {
  const during = { before: 2, act: { do: 'pause', nth: 0, isImmediate: true } } as const
  const one = await Case.of(inTurn(put(), list()), { commands: [start(during)] })
  await one.replayFrom(null)
})

test('a paused run whose child has ended stays paused until it is resumed', async () => {
  const commands = [start(), pause(true), clock(5), drive]
  const one = await Case.of(inTurn(child), { commands, inChild: inTurn(delay(1)) })
  await one.check()
})

test('a scratchpad is read again in a replay of a replay, and in a branch of a branch', async () => {
  const one = await Case.of(inTurn(put(scratch), list(scratch), identity))
  const replay = await one.replayFrom(null)
  const runs = [...one.world.history.creations.keys()]
  await one.replayFrom(null, runs.indexOf(replay.run.runId))
  const branch = await one.branchFrom('node.started n2')
  await one.branchFrom('node.started n2', [...one.world.history.creations.keys()].indexOf(branch.run.runId))
})

test('a deleted scratch entry stays deleted in a branch, and an expired one cannot be deleted', async () => {
  const deleted = await Case.of(inTurn(put(scratch), remove(1), list(scratch)))
  await deleted.branchFrom('node.started n2')
  const expired = await Case.of(inTurn(put(scratch, 1), delay(2), remove(2)))
  await expired.check()
  assert.equal((await expired.record()).run.text.variables.v2, false)
})

test('a branch from before a branch does not see what was written after its point', async () => {
  const one = await Case.of(inTurn(put(), put(), list()))
  const first = await one.branchFrom('node.started n2')
  const second = await one.branchFrom(
    'node.started n1',
    [...one.world.history.creations.keys()].indexOf(first.run.runId),
  )
  assert.equal((second.run.text.variables.v2 as unknown[]).length, 2)
})

test('a branch of a replay sees what the replayed run wrote', async () => {
  const one = await Case.of(inTurn(put(), list()))
  const replay = await one.replayFrom(null)
  await one.branchFrom('node.started n1', [...one.world.history.creations.keys()].indexOf(replay.run.runId))
})

test('a node that was interrupted resumes before other nodes start', async () => {
  const forked = await Case.of(sideBySide(list(), put()))
  await forked.replayFrom('node.completed n0')
  const crash = { before: 1, act: { do: 'crash', isAnswerLost: true } } as const
  const crashed = await Case.of(sideBySide(put(), put(1)), { commands: [start(crash)] })
  await crashed.check()
  await crashed.replayFrom(null)
})

test('a replay goes as far as its source, whatever its end', async () => {
  for (const waiting of [gate, child, delay(1)]) {
    const cancelled = await Case.of(sideBySide(waiting, put()), {
      commands: [start(), cancel],
      inChild: inTurn(gate),
    })
    await cancelled.replayFrom(null)
    await cancelled.replayFrom('end')
    const failed = await Case.of([...sideBySide(gate), ...sideBySide(delay(1)), ...inTurn(fail)])
    await failed.replayFrom(null)
    await failed.replayFrom('end')
  }
})

test('a replay of a run whose job became a dead letter ends where its source ended', async () => {
  const giveUp = next({ do: 'giveUp', nth: 0 })
  const one = await Case.of(sideBySide(gate, put()), { commands: [start(), giveUp] })
  for (const place of [null, 'run.failed', 'end']) await one.replayFrom(place)
})

test('calls that were refused or found nothing have the same result in a replay', async () => {
  const refused = await Case.of(inTurn(put(0, 0)))
  assert.equal((await refused.replayFrom(null)).run.text.error?.code, 'validation_error')
  const nothing = await Case.of(inTurn(list(malformed), identity))
  await nothing.replayFrom(null)
})
