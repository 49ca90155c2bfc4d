import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import { growthOf, isRefusable, positionsWithoutCount } from './growth.ts'
import { changeQuotas, defaultQuotas, quotaExceeded, quotaNames } from './quota.ts'

const put = (content: string) => ({ memoryRef: 'n', content, tags: [] }) as never
/** The ref, and an empty list of tags. */
const frame = 3
const run = (expects: number, status = 'pending') =>
  ({ expects, run: { status, facts: { a: 1 }, text: { tags: [] } }, events: [], calls: [] }) as never
const job = { payload: null } as never

test('a change grows by its new entries, the bytes of all new texts, and the runs and jobs that begin', () => {
  assert.equal(growthOf({ kind: 'memory.deleted' }), null)
  const puts = [put('tea'), put('ünï🦊')]
  assert.deepEqual(growthOf({ kind: 'memory.written', puts, revisions: [put('more')], jobs: [job] }), {
    ...{ entries: 2, bytes: 3 + 9 + 4 + 3 * frame, otherBytes: 4, rewrittenBytes: 0 },
    ...{ runsPending: 0, jobsPending: 1 },
  })
  const replaced = growthOf({ kind: 'memory.written', puts, ends: [put('')] })
  assert.equal(replaced?.entries, 1, 'an entry that ends makes room')
  const runs = [run(0), run(0, 'completed'), run(3)]
  assert.equal(growthOf({ kind: 'memory.written', runs })?.runsPending, 1, 'steps and ended runs begin nothing')
  const versions = [
    { memoryRef: 'n', content: 'ab', tags: [], endedPosition: 3 },
    { memoryRef: 'n', content: 'cd', tags: [], endedPosition: null },
  ]
  const imported = growthOf({ kind: 'memory.imported', imported: { versions, sourceEvents: [], claims: [] } as never })
  assert.deepEqual([imported?.entries, imported?.bytes], [1, 4 + 2 * frame])
})

test('a source event grows by what comes of it: every message without extraction, at least one memory with it', () => {
  const event = (infer: boolean, ...roles: string[]) => ({
    ...{ infer, eventId: null, subject: 'ada', scope: null, evidence: null, metadata: {}, readers: null },
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
  assert.deepEqual([edit?.entries, edit?.bytes], [1, 3 + frame])
})

test('every row whose size a client decides adds its bytes, and a step of a run rewrites those of the run', () => {
  const bytes = (change: object) => growthOf({ kind: 'memory.written', ...change } as never)?.otherBytes
  const body = { text: { note: 'ünï' }, sealed: {} }
  const record = { kind: 'rule', id: 'r', body, expects: 0 }
  assert.equal(bytes({ admin: [record] }), 1 + Buffer.byteLength(JSON.stringify(body)))
  assert.equal(bytes({ admin: [{ ...record, body: null }] }), 0)
  assert.equal(bytes({ claims: [{ assertions: [{ eventId: null, content: 'tea', contentKey: 'tea' }] }] }), 6)
  const step = { ...(run(0) as object), events: [{ facts: { a: 1 }, text: { b: 2 } }], calls: [] }
  assert.equal(bytes({ runs: [step] }), Buffer.byteLength('[]{"a":1}{"tags":[]}{"a":1,"b":2}'))
  const later = growthOf({ kind: 'memory.written', runs: [{ ...step, expects: 1 }] } as never)
  assert.deepEqual([later?.otherBytes, later?.rewrittenBytes], [13, 20])
  const source = { infer: true, eventId: 'e', subject: 's', scope: null, evidence: null, metadata: {}, readers: null }
  const messages = [{ role: 'user', content: 'tea' }]
  assert.equal(bytes({ sourceEvents: [{ ...source, messages }] }), 4 + JSON.stringify(messages).length)
})

test('a record that is new or replaced can be refused; to revoke, pause, end or log in never is', () => {
  const admin = [{ kind: 'rule', id: 'r', body: { text: {}, sealed: {} }, expects: 0 }] as const
  for (const kind of ['secret.put', 'rule.put', 'workflow.registered', 'agent.put', 'webhook.created', 'schedule.put'])
    assert.equal(isRefusable({ kind: `admin.${kind}`, admin }), true, kind)
  for (const kind of ['key.revoked', 'session.created', 'schedule.paused', 'settings.changed', 'quotas.changed'])
    assert.equal(isRefusable({ kind: `admin.${kind}`, admin }), false, kind)
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
  const perEntry = limits.contentBytesMax * 2
  assert.equal(positionsWithoutCount({ entries: 7 * perCommit, bytes: limits.quotaMax }), 7)
  assert.equal(positionsWithoutCount({ entries: 7 * perCommit - 1, bytes: limits.quotaMax }), 6)
  const small = { entries: limits.quotaMax, bytes: 2 * perCommit * perEntry }
  assert.ok(positionsWithoutCount(small) < 2, 'tags, readers and names have a size too')
  assert.ok(positionsWithoutCount({ ...small, bytes: 20 * perCommit * perEntry }) >= 5)
  assert.ok(positionsWithoutCount(small, small.bytes + 1) < 0, 'when everything else alone exceeds it')
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
