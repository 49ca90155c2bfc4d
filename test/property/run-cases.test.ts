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

/** What the properties have found, shrunk to the smallest story and told again every time. */

const clock = (by: number) => next({ do: 'clock', by })
const pause = (isImmediate: boolean) => next({ do: 'pause', nth: 0, isImmediate })
const cancel = next({ do: 'cancel', nth: 0 })

test('nodes that waited side by side end in the same order again', async () => {
  for (const waiting of [delay(1), gate, child]) {
    const one = await Case.of(sideBySide(waiting, put(), list()))
    await one.replayFrom(null)
  }
})

test('a replay from the middle of a question asks it, and takes the answer', async () => {
  const one = await Case.of(inTurn(gate, put()))
  const parts = ['node.suspended', 'interrupt.requested', 'approval.requested']
  const answer = ['interrupt.resolved', 'approval.received', 'node.resumed']
  for (const place of [...parts, ...answer]) await one.replayFrom(place)
})

test('a branch from the middle of a question tells the rest of it', async () => {
  const one = await Case.of(inTurn(gate, put()))
  await one.branchFrom('interrupt.requested')
  await one.branchFrom('approval.received')
})

test('what failed before the fork has failed', async () => {
  const one = await Case.of(sideBySide(fail, put()))
  for (const place of ['memory.written', 'run.failed', 'end']) {
    await one.replayFrom(place)
    assert.equal((await one.branchFrom(place)).run.status, 'failed')
  }
})

test('time that ran out before the fork has run out, and is told once', async () => {
  const one = await Case.of(inTurn(delay(2)), { commands: [start(), clock(5)], timeoutMs: 1 })
  for (const place of ['cap.breached', 'memory.written', 'run.failed']) await one.replayFrom(place)
})

test('a replay tells of the pauses of its source', async () => {
  const drained = await Case.of(inTurn(gate, put()), { commands: [start(), pause(false)] })
  for (const place of [null, 'run.paused', 'run.resumed', 'node.completed']) await drained.replayFrom(place)
  const cut = await Case.of(inTurn(delay(2), put()), { commands: [start(), pause(true)] })
  for (const place of [null, 'run.paused', 'run.resumed', 'node.completed']) await cut.replayFrom(place)
  const cutBeside = await Case.of(sideBySide(child, delay(2), put()), { commands: [start(), pause(true)] })
  for (const place of [null, 'node.started n1', 'run.resumed']) await cutBeside.replayFrom(place)
})

test('a node that was cut off by a pause and met a limit when it was to start again stays cut off', async () => {
  const commands = [{ ...start(), nodesMax: 1 } as Command, pause(true)]
  const one = await Case.of(inTurn(delay(2)), { commands })
  assert.equal((await one.told()).run.text.error?.code, 'recursion_limit_exceeded')
  for (const place of [null, 'run.resumed', 'cap.breached']) await one.replayFrom(place)
})

test('a pause that meets a node before its read does not read twice, nor earlier', async () => {
  const during = { before: 2, act: { do: 'pause', nth: 0, isImmediate: true } } as const
  const one = await Case.of(inTurn(put(), list()), { commands: [start(during)] })
  await one.replayFrom(null)
})

test('a paused run whose child has ended rests until it is resumed', async () => {
  const commands = [start(), pause(true), clock(5), drive]
  const one = await Case.of(inTurn(child), { commands, inChild: inTurn(delay(1)) })
  await one.check()
})

test('a scratchpad is read again in a replay of a replay, and in a branch of a branch', async () => {
  const one = await Case.of(inTurn(put(scratch), list(scratch), identity))
  const replay = await one.replayFrom(null)
  const runs = [...one.world.history.births.keys()]
  await one.replayFrom(null, runs.indexOf(replay.run.runId))
  const branch = await one.branchFrom('node.started n2')
  await one.branchFrom('node.started n2', [...one.world.history.births.keys()].indexOf(branch.run.runId))
})

test('a deleted scratch entry stays deleted in a branch, and an expired one cannot be deleted', async () => {
  const deleted = await Case.of(inTurn(put(scratch), remove(1), list(scratch)))
  await deleted.branchFrom('node.started n2')
  const expired = await Case.of(inTurn(put(scratch, 1), delay(2), remove(2)))
  await expired.check()
  assert.equal((await expired.told()).run.text.variables.v2, false)
})

test('a branch of a branch from before it does not see what came after', async () => {
  const one = await Case.of(inTurn(put(), put(), list()))
  const first = await one.branchFrom('node.started n2')
  const second = await one.branchFrom('node.started n1', [...one.world.history.births.keys()].indexOf(first.run.runId))
  assert.equal((second.run.text.variables.v2 as unknown[]).length, 2)
})

test('a branch of a replay sees what the replayed run wrote', async () => {
  const one = await Case.of(inTurn(put(), list()))
  const replay = await one.replayFrom(null)
  await one.branchFrom('node.started n1', [...one.world.history.births.keys()].indexOf(replay.run.runId))
})

test('a node that was cut in two goes on before others begin', async () => {
  const forked = await Case.of(sideBySide(list(), put()))
  await forked.replayFrom('node.completed n0')
  const crash = { before: 1, act: { do: 'crash', isAnswerLost: true } } as const
  const crashed = await Case.of(sideBySide(put(), put(1)), { commands: [start(crash)] })
  await crashed.check()
  await crashed.replayFrom(null)
})

test('a replay goes as far as its source, however that ended', async () => {
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

test('a replay of a run that was given up ends where that ended', async () => {
  const giveUp = next({ do: 'giveUp', nth: 0 })
  const one = await Case.of(sideBySide(gate, put()), { commands: [start(), giveUp] })
  for (const place of [null, 'run.failed', 'end']) await one.replayFrom(place)
})

test('calls that were refused or could find nothing go the same way again', async () => {
  const refused = await Case.of(inTurn(put(0, 0)))
  assert.equal((await refused.replayFrom(null)).run.text.error?.code, 'validation_error')
  const nothing = await Case.of(inTurn(list(malformed), identity))
  await nothing.replayFrom(null)
})
