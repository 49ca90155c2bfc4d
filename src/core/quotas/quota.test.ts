import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import { growthOf, isRefusable, positionsWithoutCount } from './growth.ts'
import { changeQuotas, defaultQuotas, quotaExceeded, quotaNames } from './quota.ts'

const put = (content: string) => ({ content }) as never
const run = (expects: number, status = 'pending') => ({ expects, run: { status } }) as never
const job = {} as never

test('a change grows by its new entries, the bytes of all new texts, and the runs and jobs that begin', () => {
  assert.equal(growthOf({ kind: 'memory.deleted' }), null)
  const puts = [put('tea'), put('ünï🦊')]
  assert.deepEqual(growthOf({ kind: 'memory.written', puts, revisions: [put('more')], jobs: [job] }), {
    ...{ entries: 2, bytes: 3 + 9 + 4 },
    ...{ runsPending: 0, jobsPending: 1 },
  })
  const replaced = growthOf({ kind: 'memory.written', puts, ends: [put('')] })
  assert.equal(replaced?.entries, 1, 'an entry that ends makes room')
  const runs = [run(0), run(0, 'completed'), run(3)]
  assert.equal(growthOf({ kind: 'memory.written', runs })?.runsPending, 1, 'steps and ended runs begin nothing')
  const versions = [
    { content: 'ab', endedPosition: 3 },
    { content: 'cd', endedPosition: null },
  ]
  const imported = growthOf({ kind: 'memory.imported', imported: { versions } as never })
  assert.deepEqual([imported?.entries, imported?.bytes], [1, 4])
})

test('a source event grows by what comes of it: every message without extraction, at least one memory with it', () => {
  const event = (infer: boolean, ...roles: string[]) => ({
    infer,
    messages: roles.map((role) => ({ role, content: 'tea' })),
  })
  const received = (...events: object[]) => {
    const growth = growthOf({ kind: 'source.received', sourceEvents: events as never, jobs: [job] })
    return [growth?.entries, growth?.bytes]
  }
  assert.deepEqual(received(event(false, 'user', 'assistant')), [2, 6])
  assert.deepEqual(received(event(true, 'user', 'user')), [1, 1])
  assert.deepEqual(received(event(true, 'assistant')), [0, 0])
  const edit = growthOf({ kind: 'memory.written', puts: [put('tea')], sourceEvents: [event(false, 'user')] as never })
  assert.deepEqual([edit?.entries, edit?.bytes], [1, 3])
})

test('only what a client begins can be refused, never work that was accepted before', () => {
  assert.equal(isRefusable({ kind: 'memory.written', puts: [put('tea')] }), true)
  assert.equal(isRefusable({ kind: 'memory.written', runs: [run(0)], jobs: [job] }), true)
  assert.equal(isRefusable({ kind: 'memory.written', runs: [run(2)], puts: [put('tea')] }), false, 'a step of a run')
  assert.equal(isRefusable({ kind: 'memory.written', puts: [put('tea')], ingests: 'src_1' }), false)
  assert.equal(isRefusable({ kind: 'memory.written', holds: { jobId: 'j', leaseToken: 't' } }), false)
  for (const kind of ['memory.compacted', 'forget.fenced', 'memory.redacted', 'admin.quotas.changed'] as const)
    assert.equal(isRefusable({ kind, puts: [put('tea')], jobs: [job] }), false, kind)
})

test('nothing is counted while no commits of the largest size could exceed a quota', () => {
  const perCommit = limits.batchEntriesMax
  assert.equal(positionsWithoutCount({ entries: 7 * perCommit, bytes: limits.quotaMax }), 7)
  assert.equal(positionsWithoutCount({ entries: 7 * perCommit - 1, bytes: limits.quotaMax }), 6)
  assert.equal(positionsWithoutCount({ entries: limits.quotaMax, bytes: 2 * perCommit * limits.contentBytesMax }), 2)
})

test('a quota is set, kept and reset, and a value that is no count is refused by its name', () => {
  const set = changeQuotas({}, { entries: 10, keys: 0 })
  assert.deepEqual(set, { entries: 10, keys: 0 })
  assert.deepEqual(changeQuotas(set, { entries: null, bytes: 5 }), { keys: 0, bytes: 5 })
  for (const value of [-1, 1.5, Number.NaN, limits.quotaMax + 1])
    assert.throws(() => changeQuotas({}, { streams: value }), { code: 'validation_error', message: /^streams must/ })
})

test('a refusal names the quota, what is used and the limit; stored things do not free themselves', () => {
  const codes = quotaNames.map((name) => {
    const error = quotaExceeded(name, 5, 4)
    assert.deepEqual(error.details, { quota: name, used: 5, limit: 4 })
    assert.match(error.hint, /colophon tenants quotas/)
    return [name, isColophonError(error, 'storage_quota_exceeded'), error.retryable]
  })
  const isStored = ['entries', 'bytes', 'keys']
  assert.deepEqual(
    codes,
    Object.keys(defaultQuotas).map((name) => [name, isStored.includes(name), !isStored.includes(name)]),
  )
})
