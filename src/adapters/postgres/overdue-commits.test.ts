import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PoolClient } from 'pg'
import { postgresLimits } from './connection.ts'
import { OverdueCommits } from './overdue-commits.ts'

const waitMs = 1_000
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A commit that is answered when the test says so. */
function createCommit() {
  let disconnected = false
  const answer = Promise.withResolvers<string>()
  const stream = { destroy: () => (disconnected = true) }
  const client = { connection: { stream } } as unknown as PoolClient
  return { client, answer, isDisconnected: () => disconnected }
}

test('a commit is overdue only after every wait for a lock has been refused', () => {
  assert.ok(postgresLimits.commitWaitMs > postgresLimits.lockTimeoutMs)
})

test('while a commit is overdue writes are refused, but for one probe per waiting time; its answer ends that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  const overdue = new OverdueCommits(waitMs, 2, () => now)
  const [first, probe] = [createCommit(), createCommit()]
  const early: string[] = []
  const note = ({ code, message }: { code: string; message: string }) => early.push(`${code}: ${message}`)
  const pass = (by: number) => {
    now += by
    t.mock.timers.tick(by)
  }
  const watched = overdue.watch(first.client, first.answer.promise, note)
  pass(waitMs - 1)
  assert.deepEqual([overdue.count, early], [0, []])
  overdue.refuseWhileStalled()
  pass(1)
  assert.equal(overdue.count, 1)
  assert.deepEqual(early, ['storage_unavailable: The database did not confirm the write in time. It may be stored.'])
  const refused = { code: 'storage_unavailable', message: /not sent/ }
  assert.throws(() => overdue.refuseWhileStalled(), refused)

  pass(waitMs)
  overdue.refuseWhileStalled()
  assert.throws(() => overdue.refuseWhileStalled(), refused, 'one probe')
  const probing = overdue.watch(probe.client, probe.answer.promise, note)
  pass(2 * waitMs)
  assert.equal(overdue.count, 2)
  assert.throws(() => overdue.refuseWhileStalled(), refused, 'no more probes than connections to spare')

  first.answer.resolve('COMMIT')
  assert.equal(await watched, 'COMMIT')
  assert.throws(() => overdue.refuseWhileStalled(), refused, 'one is still overdue')
  probe.answer.reject(new Error('connection terminated'))
  await assert.rejects(probing)
  assert.equal(overdue.count, 0)
  overdue.refuseWhileStalled()
})

test('a confirmed write ends the refusals, also if the overdue connection never gets its answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const overdue = new OverdueCommits(waitMs, 2)
  const lost = createCommit()
  void overdue.watch(lost.client, lost.answer.promise, () => {})
  t.mock.timers.tick(waitMs)
  assert.equal(overdue.count, 1)
  overdue.noteConfirmed()
  assert.equal(overdue.count, 0)
  overdue.refuseWhileStalled()
})

test('at the end overdue connections are given up, and so are those that become overdue later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const overdue = new OverdueCommits(waitMs, 2)
  const [before, after, quick] = [createCommit(), createCommit(), createCommit()]
  void overdue.watch(before.client, before.answer.promise, () => {})
  t.mock.timers.tick(waitMs)
  for (const { client, answer } of [after, quick]) void overdue.watch(client, answer.promise, () => {})
  overdue.close()
  quick.answer.resolve('COMMIT')
  await settle()
  assert.deepEqual([before.isDisconnected(), after.isDisconnected()], [true, false])
  t.mock.timers.tick(waitMs)
  assert.deepEqual([after.isDisconnected(), quick.isDisconnected()], [true, false])
})
