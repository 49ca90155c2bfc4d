import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../test/contract/suite/assert-code.ts'
import { leaseJob, openUseCases } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { type JobDraft, jobsOf } from './queue.ts'

function openQueue() {
  const world = openUseCases(openInMemoryStore)
  const wakes = { count: 0 }
  Object.assign(world.engine.workers, {
    wake() {
      wakes.count += 1
    },
  })
  return { ...world, jobs: jobsOf(world.tenant), wakes }
}

test('a job of which only the kind is given is due now, with the default attempts', async () => {
  await using world = openQueue()
  const job = await world.jobs.get(await world.jobs.enqueue({ kind: 'mail' }))
  assert.deepEqual(
    [job?.status, job?.payload, job?.priority, job?.dueAt, job?.attempts, job?.attemptsMax],
    ['queued', null, 0, world.clock.now, 0, limits.jobAttemptsDefault],
  )
})

test('a job keeps what its draft says', async () => {
  await using world = openQueue()
  const dueAt = '2026-02-01T12:00:00+02:00'
  const draft = { kind: 'mail', payload: { to: ['ada', null] }, priority: -100, dueAt, attemptsMax: 1 }
  const job = await world.jobs.get(await world.jobs.enqueue(draft))
  assert.deepEqual(
    [job?.payload, job?.priority, job?.dueAt, job?.attemptsMax],
    [draft.payload, -100, Date.parse('2026-02-01T10:00:00Z'), 1],
  )
})

test('a draft is accepted at its limits and refused beyond them, and the refusal names the field', async () => {
  await using world = openQueue()
  const fieldOf = (draft: object) =>
    world.jobs.enqueue({ kind: 'mail', ...draft } as JobDraft).then(
      () => null,
      (error: unknown) => (isColophonError(error, 'validation_error') ? error.details.field : error),
    )
  const { jobKindCharactersMax, jobAttemptsMax, jobPayloadBytesMax } = limits
  for (const draft of [
    { kind: 'k'.repeat(jobKindCharactersMax) },
    { priority: 100 },
    { attemptsMax: jobAttemptsMax },
    { payload: 'x'.repeat(jobPayloadBytesMax - 2) },
    { dueAt: new Date(0) },
  ])
    assert.equal(await fieldOf(draft), null)
  const wrong: Record<string, readonly unknown[]> = {
    kind: ['', 'k'.repeat(jobKindCharactersMax + 1), 'a\tb', 7, null],
    priority: [101, -101, 0.5, '1', Number.NaN, null],
    attemptsMax: [0, 1.5, jobAttemptsMax + 1, '3', null],
    payload: [10n, () => {}, 'x'.repeat(jobPayloadBytesMax - 1), '\u0000', { n: Number.POSITIVE_INFINITY }],
    dueAt: ['tomorrow', '2026-02-01T12:00:00', '2026-02-30T12:00:00Z', 7, null, new Date(Number.NaN)],
  }
  for (const [field, values] of Object.entries(wrong))
    for (const value of values) assert.equal(await fieldOf({ [field]: value }), field, `${field} ${typeof value}`)
  assert.equal(await fieldOf({ attempts: 3 }), 'job')
})

test('a missing draft, unknown options and a malformed tenant are refused', async () => {
  await using world = openQueue()
  for (const draft of [undefined, null, 'mail'])
    await rejectsWith('validation_error', world.jobs.enqueue(draft as unknown as JobDraft))
  await rejectsWith('validation_error', world.jobs.enqueue({ kind: 'mail' }, { key: 'k' } as object))
  assert.throws(() => jobsOf(world.engine.tenant('')), { code: 'validation_error' })
  assert.deepEqual(await world.jobs.list(), [])
})

test('a repeat with the same idempotency key gives the first job', async () => {
  await using world = openQueue()
  const enqueue = (payload: unknown) => world.jobs.enqueue({ kind: 'mail', payload }, { idempotencyKey: 'k' })
  const first = await enqueue(1)
  assert.equal(await enqueue(1), first)
  await rejectsWith('idempotency_key_mismatch', enqueue(2))
  assert.equal((await world.jobs.list()).length, 1)
})

test('workers are woken by a new job, a retry and a schedule, and not by a refusal', async () => {
  await using world = openQueue()
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  assert.equal(world.wakes.count, 1)
  await rejectsWith('validation_error', world.jobs.enqueue({ kind: '' }))
  await rejectsWith('job_state', world.jobs.retry(jobId))
  await world.jobs.cancel(jobId)
  assert.equal(world.wakes.count, 1)
  await world.jobs.retry(jobId)
  assert.equal(world.wakes.count, 2)
  await world.jobs.schedule({ scheduleId: 's', cron: '0 * * * *', kind: 'mail' })
  assert.equal(world.wakes.count, 3)
})

test('a job is shown without its lease token and without its trace', async () => {
  await using world = openQueue()
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  const { leaseToken } = await leaseJob(world, jobId)
  const views = [await world.jobs.get(jobId), ...(await world.jobs.list()), await world.jobs.cancel(jobId)]
  for (const view of views) {
    assert.ok(view && !('leaseToken' in view) && !('trace' in view))
    assert.ok(!JSON.stringify(view).includes(leaseToken))
  }
})

test('a job of another tenant is not found', async () => {
  await using world = openQueue()
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  const other = jobsOf(world.engine.tenant('other'))
  assert.equal(await other.get(jobId), null)
  assert.deepEqual(await other.list(), [])
  await rejectsWith('job_not_found', other.cancel(jobId))
  await rejectsWith('job_not_found', other.retry(jobId))
  assert.equal((await world.jobs.get(jobId))?.status, 'queued')
})

test('a list is narrowed by status, and its page is never larger than the limit', async (t) => {
  await using world = openQueue()
  const ids = [await world.jobs.enqueue({ kind: 'a' }), await world.jobs.enqueue({ kind: 'b' })]
  await world.jobs.cancel(ids[0] ?? '')
  const listed = await world.jobs.list({ status: 'cancelled' })
  assert.deepEqual(
    listed.map(({ jobId }) => jobId),
    [ids[0]],
  )
  const asked = t.mock.method(world.engine.storage.jobs, 'list')
  await world.jobs.list()
  await world.jobs.list({ limit: 1 })
  await world.jobs.list({ limit: limits.pageEntriesMax + 1 })
  assert.deepEqual(
    asked.mock.calls.map(({ arguments: [query] }) => query.limit),
    [limits.pageEntriesDefault, 1, limits.pageEntriesMax],
  )
  for (const limit of [0, -1, 1.5]) await rejectsWith('validation_error', world.jobs.list({ limit }))
  await rejectsWith('validation_error', world.jobs.list({ state: 'dead' } as object))
})

test('a cancelled job runs again with all its attempts after a retry', async () => {
  await using world = openQueue()
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  await leaseJob(world, jobId)
  const cancelled = await world.jobs.cancel(jobId)
  assert.deepEqual([cancelled.status, cancelled.attempts, cancelled.endedAt], ['cancelled', 1, world.clock.now])
  world.clock.advance(60_000)
  const retried = await world.jobs.retry(jobId)
  assert.deepEqual(
    [retried.status, retried.attempts, retried.dueAt, retried.endedAt],
    ['queued', 0, world.clock.now, null],
  )
})
