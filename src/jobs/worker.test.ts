import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/support/child.ts'
import { openUseCases, tenantId } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { commitJob } from '../app/commit.ts'
import { put } from '../app/entries/put.ts'
import { putRule } from '../app/redaction/rules.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { acquireLease, type Job, retryDelayMs } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type Measurement, onMeasurement } from '../telemetry/measurement.ts'
import { putSchedule } from './cron-schedules.ts'
import { JobError } from './job-handler.ts'
import { jobsOf } from './queue.ts'
import { type RunningJob, Worker, type WorkerOptions } from './worker.ts'

/** Until a worker stops, only wakes and the short polls after a wake make it claim. */
const pollMs = 60_000
const leaseMs = 30_000
/** For a test that waits for an attempt, should the attempt never end. */
const waiting = { timeout: 10_000 }

/** A store, its workers and the attempts they have ended. All of it is closed after the test, also after a timeout. */
function openWorker(t: TestContext) {
  const world = openUseCases(openInMemoryStore)
  const attempts: Measurement[] = []
  let ended = Promise.withResolvers<void>()
  const unlisten = onMeasurement((measured) => {
    if (measured.name !== 'job') return
    attempts.push(measured)
    ended.resolve()
    ended = Promise.withResolvers<void>()
  })
  const workers: Worker[] = []
  const ends: PromiseWithResolvers<unknown>[] = []
  t.after(async () => {
    for (const end of ends) end.resolve(null)
    await Promise.all(workers.map((worker) => worker.stop()))
    await world[Symbol.asyncDispose]()
    unlisten()
  })
  return {
    ...world,
    jobs: jobsOf(world.tenant),
    store: world.engine.storage.jobs,
    /** A worker that is not started: it runs only the jobs that it adopts. */
    idle(options: WorkerOptions) {
      const worker = new Worker(world.engine, { pollMs, leaseMs, ...options }, () => {})
      workers.push(worker)
      return worker
    },
    start(options: WorkerOptions) {
      return this.idle(options).start()
    },
    /** The attempts, once so many have ended and are stored. */
    async ended(count: number) {
      while (attempts.length < count) await ended.promise
      return attempts
    },
    /** A handler that begins and then waits until the test ends it. */
    pending() {
      const begun = Promise.withResolvers<RunningJob>()
      const end = Promise.withResolvers<unknown>()
      ends.push(end)
      const handler = (job: RunningJob) => {
        begun.resolve(job)
        return end.promise
      }
      return { handler, begun: begun.promise, end }
    },
  }
}

const failing = (error: unknown) => async () => {
  throw error
}

test('the result of a handler is the result of its job, and no result is null', waiting, async (t) => {
  const world = openWorker(t)
  const given = await world.jobs.enqueue({ kind: 'given' })
  const none = await world.jobs.enqueue({ kind: 'none' })
  world.start({ handlers: { given: async () => ({ sent: 2 }), none: async () => {} } })
  const attempts = await world.ended(2)
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['ok', 'ok'],
  )
  const jobs = [await world.jobs.get(given), await world.jobs.get(none)]
  assert.deepEqual(
    jobs.map((job) => [job?.status, job?.result]),
    [
      ['completed', { sent: 2 }],
      ['completed', null],
    ],
  )
})

test('a result that is no JSON or too large is a failed attempt', waiting, async (t) => {
  const world = openWorker(t)
  const ids = [await world.jobs.enqueue({ kind: 'odd' }), await world.jobs.enqueue({ kind: 'large' })]
  const large = 'x'.repeat(limits.jobResultBytesMax)
  world.start({ handlers: { odd: async () => 10n, large: async () => large } })
  await world.ended(2)
  for (const jobId of ids) {
    const job = await world.jobs.get(jobId)
    assert.deepEqual([job?.status, job?.error?.code, job?.result], ['queued', 'validation_error', null])
  }
})

test('a failed attempt is retried after a growing delay, and the last one makes a dead letter', waiting, async (t) => {
  const world = openWorker(t)
  const jobId = await world.jobs.enqueue({ kind: 'mail', attemptsMax: 3 })
  const numbers: number[] = []
  const dead: Job[] = []
  const worker = world.start({
    handlers: {
      mail: async ({ attempt }) => {
        numbers.push(attempt)
        throw new JobError('no_mail', `Attempt ${attempt} failed.`)
      },
    },
    onDead: async (_tenantId, job) => {
      dead.push(job)
    },
  })
  for (const attempt of [1, 2]) {
    await world.ended(attempt)
    const job = await world.jobs.get(jobId)
    assert.deepEqual(
      [job?.status, job?.attempts, job?.dueAt, job?.worker],
      ['queued', attempt, world.clock.now + retryDelayMs(attempt), null],
    )
    assert.deepEqual(dead, [])
    world.clock.advance(retryDelayMs(attempt))
    worker.wake()
  }
  await world.ended(3)
  const job = await world.jobs.get(jobId)
  assert.deepEqual(
    [job?.status, job?.error, job?.endedAt],
    ['dead', { code: 'no_mail', message: 'Attempt 3 failed.' }, world.clock.now],
  )
  assert.deepEqual(numbers, [1, 2, 3])
  assert.deepEqual(
    dead.map(({ attempts }) => attempts),
    [3],
  )
})

test('an attempt is measured with the time its job waited after it was due', waiting, async (t) => {
  const world = openWorker(t)
  await world.jobs.enqueue({ kind: 'mail' })
  world.clock.advance(250)
  world.start({ handlers: { mail: failing(invalid('to', 'is needed')) } })
  const [attempt] = await world.ended(1)
  assert.deepEqual([attempt?.waitedMs, attempt?.outcome], [250, 'validation_error'])
})

test('secrets are removed from the error of a handler; a code of the host is kept', waiting, async (t) => {
  const world = openWorker(t)
  await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  await putRule(world.tenant, 'word', { pattern: 'not_found' })
  const own = await world.jobs.enqueue({ kind: 'own' })
  const host = await world.jobs.enqueue({ kind: 'host' })
  world.start({
    handlers: {
      own: failing(new JobError('TCK-123456', 'Ticket TCK-123456 failed.')),
      host: failing(new ColophonError('not_found', 'Ticket TCK-123456 is missing.')),
    },
  })
  await world.ended(2)
  const errorOf = async (jobId: string) => (await world.jobs.get(jobId))?.error
  assert.deepEqual(await errorOf(own), { code: '[REDACTED:ticket]', message: 'Ticket [REDACTED:ticket] failed.' })
  assert.deepEqual(await errorOf(host), { code: 'not_found', message: 'Ticket [REDACTED:ticket] is missing.' })
})

test('a stopped worker releases a running job without counting the attempt, even the last one', waiting, async (t) => {
  const world = openWorker(t)
  const jobId = await world.jobs.enqueue({ kind: 'mail', attemptsMax: 1 })
  const { handler, begun, end } = world.pending()
  let dead = 0
  const worker = world.start({
    handlers: { mail: handler },
    onDead: async () => {
      dead += 1
    },
  })
  const { signal } = await begun
  signal.addEventListener('abort', () => end.reject(new Error('stopped')))
  world.clock.advance(5)
  await worker.stop()
  const job = await world.jobs.get(jobId)
  assert.deepEqual(
    [job?.status, job?.attempts, job?.dueAt, job?.error, job?.worker],
    ['queued', 0, world.clock.now, null, null],
  )
  assert.equal(dead, 0)
  assert.equal((await world.ended(1))[0]?.outcome, 'interrupted')
})

test('a heartbeat extends the lease and stores the last progress without secrets', waiting, async (t) => {
  const world = openWorker(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  const { handler, begun, end } = world.pending()
  world.start({ handlers: { mail: handler } })
  const { progress } = await begun
  assert.equal((await world.jobs.get(jobId))?.dueAt, world.clock.now + leaseMs)
  progress({ at: 'first' })
  progress({ at: 'TCK-123456' })
  world.clock.advance(leaseMs / 3)
  t.mock.timers.tick(leaseMs / 3)
  await eventually('the progress is stored', async () => (await world.jobs.get(jobId))?.progress !== null)
  const job = await world.jobs.get(jobId)
  assert.deepEqual(
    [job?.status, job?.dueAt, job?.progress],
    ['leased', world.clock.now + leaseMs, { at: '[REDACTED:ticket]' }],
  )
  end.resolve(null)
  await world.ended(1)
})

test(
  'a job that another worker took over is aborted at the next heartbeat, and its result is not stored',
  waiting,
  async (t) => {
    const world = openWorker(t)
    t.mock.timers.enable({ apis: ['setInterval'] })
    const jobId = await world.jobs.enqueue({ kind: 'mail' })
    const { handler, begun, end } = world.pending()
    world.start({ handlers: { mail: handler } })
    const { signal } = await begun
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    world.clock.advance(leaseMs)
    const lease = { leaseToken: 'new', worker: 'other', leaseUntil: world.clock.now + leaseMs }
    await world.store.update(tenantId, jobId, (job) => acquireLease(job, lease, world.clock.now))
    assert.equal(signal.aborted, false)
    t.mock.timers.tick(leaseMs / 3)
    await aborted
    end.resolve({ late: true })
    const [attempt] = await world.ended(1)
    assert.equal(attempt?.outcome, 'job_lease_lost')
    const job = await world.store.get(tenantId, jobId)
    assert.deepEqual([job?.status, job?.leaseToken, job?.result, job?.error], ['leased', 'new', null, null])
  },
)

test('a cancelled job is aborted at the next heartbeat and stays cancelled', waiting, async (t) => {
  const world = openWorker(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  const { handler, begun, end } = world.pending()
  world.start({ handlers: { mail: handler } })
  const { signal } = await begun
  signal.addEventListener('abort', () => end.reject(new Error('aborted')))
  await world.jobs.cancel(jobId)
  t.mock.timers.tick(leaseMs / 3)
  await world.ended(1)
  assert.equal((await world.jobs.get(jobId))?.status, 'cancelled')
})

test('a heartbeat that the store does not answer aborts nothing', waiting, async (t) => {
  const world = openWorker(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  const { handler, begun, end } = world.pending()
  world.start({ handlers: { mail: handler } })
  const { signal } = await begun
  const failed = t.mock.method(world.store, 'update', failing(new ColophonError('storage_unavailable', 'Unavailable.')))
  t.mock.timers.tick(leaseMs / 3)
  await eventually('the heartbeat has failed', async () => failed.mock.callCount() === 1)
  failed.mock.restore()
  end.resolve('done')
  await world.ended(1)
  assert.equal(signal.aborted, false)
  assert.equal((await world.jobs.get(jobId))?.result, 'done')
})

test('a job that a write has completed is neither completed again nor failed by a later throw', waiting, async (t) => {
  const world = openWorker(t)
  const ids = [await world.jobs.enqueue({ kind: 'fine' }), await world.jobs.enqueue({ kind: 'late' })]
  const write = async ({ lease, jobId }: RunningJob) =>
    put(world.tenant, 'notes', { content: jobId }, { completes: lease })
  world.start({
    handlers: {
      fine: async (job) => {
        await write(job)
        return 'not stored'
      },
      late: async (job) => {
        await write(job)
        throw new Error('late')
      },
    },
  })
  const attempts = await world.ended(2)
  assert.deepEqual(attempts.map(({ outcome }) => outcome).sort(), ['ok', 'other'])
  for (const jobId of ids) {
    const job = await world.jobs.get(jobId)
    assert.deepEqual([job?.status, job?.result, job?.error], ['completed', null, null])
  }
})

test('a progress that is no JSON or too large is refused where the handler reports it', waiting, async (t) => {
  const world = openWorker(t)
  await world.jobs.enqueue({ kind: 'mail' })
  const { handler, begun, end } = world.pending()
  world.start({ handlers: { mail: handler } })
  const { progress } = await begun
  assert.throws(() => progress(10n), { code: 'validation_error' })
  assert.throws(() => progress('x'.repeat(limits.jobProgressBytesMax)), { code: 'validation_error' })
  end.resolve(null)
  await world.ended(1)
})

test('a job that lost too many leases is a dead letter after onDead, even if onDead fails', waiting, async (t) => {
  const world = openWorker(t)
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  const lost = { status: 'leased', attempts: 1, lostLeases: limits.jobLostLeasesMax - 1, leaseToken: 'old' } as const
  await world.store.update(tenantId, jobId, (job) => ({ ...job, ...lost }))
  const other = await world.jobs.enqueue({ kind: 'mail', priority: -1 })
  const seen: unknown[] = []
  world.start({
    handlers: {
      mail: async (job) => {
        seen.push(['ran', job.jobId])
      },
    },
    onDead: async (tenant, job) => {
      seen.push(['dead', tenant, job.jobId, (await world.jobs.get(jobId))?.status])
      throw new Error('the run cannot be ended')
    },
  })
  await world.ended(1)
  assert.deepEqual(seen, [
    ['dead', tenantId, jobId, 'leased'],
    ['ran', other],
  ])
  const job = await world.jobs.get(jobId)
  assert.deepEqual([job?.status, job?.error?.code], ['dead', 'poisoned'])
})

test('a last attempt whose onDead fails leaves the job leased, so that it is found again', waiting, async (t) => {
  const world = openWorker(t)
  const jobId = await world.jobs.enqueue({ kind: 'mail', attemptsMax: 1 })
  const handlers = { mail: failing(new Error('no')) }
  world.start({ handlers, onDead: failing(new Error('the run cannot be ended')) })
  await world.ended(1)
  const job = await world.jobs.get(jobId)
  assert.deepEqual([job?.status, job?.dueAt], ['leased', world.clock.now + leaseMs])
})

test('a due schedule is fired, and its job runs at once', waiting, async (t) => {
  const world = openWorker(t)
  await world.engine.contextOf(tenantId)
  await putSchedule(world.tenant, { scheduleId: 's', cron: '0 * * * *', kind: 'mail', payload: 7 })
  world.clock.now = Date.parse('2026-01-01T01:00:00Z')
  const payloads: unknown[] = []
  world.start({
    handlers: {
      mail: async ({ payload }) => {
        payloads.push(payload)
      },
    },
  })
  await world.ended(1)
  assert.deepEqual(payloads, [7])
})

test('a schedule that cannot be fired keeps no leased job from running', waiting, async (t) => {
  const world = openWorker(t)
  await world.engine.contextOf(tenantId)
  await putSchedule(world.tenant, { scheduleId: 's', cron: '0 * * * *', kind: 'mail', payload: 7 })
  const jobId = await world.jobs.enqueue({ kind: 'mail' })
  world.clock.now = Date.parse('2026-01-01T01:00:00Z')
  const fire = t.mock.method(world.store, 'fire', failing(new Error('the database is unavailable')))
  world.start({ handlers: { mail: async () => {} } })
  await world.ended(1)
  assert.equal((await world.jobs.get(jobId))?.status, 'completed')
  assert.ok(fire.mock.callCount() > 0)
})

test(
  'due jobs that this worker has no handler for do not keep it from the jobs of other tenants',
  waiting,
  async (t) => {
    const world = openWorker(t)
    const others = await world.jobs.enqueue({ kind: 'other' })
    await jobsOf(world.engine.tenant('zeta')).enqueue({ kind: 'mail' })
    const tenants: string[] = []
    world.start({
      handlers: {
        mail: async (job) => {
          tenants.push(job.tenantId)
        },
      },
    })
    await world.ended(1)
    assert.deepEqual(tenants, ['zeta'])
    assert.equal((await world.jobs.get(others))?.status, 'queued')
  },
)

test('a worker claims again after the store failed', waiting, async (t) => {
  const world = openWorker(t)
  await world.jobs.enqueue({ kind: 'mail' })
  const failed = Promise.withResolvers<void>()
  const claim = t.mock.method(world.store, 'claim', async () => {
    failed.resolve()
    throw new ColophonError('storage_unavailable', 'Unavailable.')
  })
  const worker = world.start({ handlers: { mail: async () => {} } })
  await failed.promise
  claim.mock.restore()
  worker.wake()
  assert.equal((await world.ended(1))[0]?.outcome, 'ok')
})

test(
  'an adopted job starts with the input of the process that stored it, without being claimed',
  waiting,
  async (t) => {
    const world = openWorker(t)
    const { handler, begun, end } = world.pending()
    const worker = world.idle({ handlers: { mail: handler } })
    const adoption = worker.adopt(tenantId, 'mail')
    assert.ok(adoption)
    assert.equal(adoption.lease.leaseUntil, world.clock.now + leaseMs)
    const draft = { jobId: 'job_1', kind: 'mail', payload: 1, priority: 0, dueAt: null, attemptsMax: 3 }
    await commitJob(world.tenant, { ...draft, lease: adoption.lease }, { call: { operation: 'enqueue' } })
    const job = await world.store.get(tenantId, 'job_1')
    assert.ok(job)
    adoption.start(tenantId, job, { fresh: true })
    const { input, payload } = await begun
    assert.deepEqual([input, payload], [{ fresh: true }, 1])
    end.resolve('done')
    assert.equal((await world.ended(1))[0]?.waitedMs, 0)
    const ended = await world.jobs.get('job_1')
    assert.deepEqual([ended?.status, ended?.result], ['completed', 'done'])
  },
)

test('a worker adopts only kinds that it handles, and nothing once it stops', waiting, async (t) => {
  const world = openWorker(t)
  const worker = world.idle({ handlers: { mail: async () => {} } })
  assert.deepEqual([worker.does('mail'), worker.does('other')], [true, false])
  assert.equal(worker.adopt(tenantId, 'other'), null)
  assert.ok(worker.adopt(tenantId, 'mail'))
  await worker.stop()
  assert.equal(worker.adopt(tenantId, 'mail'), null)
})

test('a worker adopts as many jobs as it has slots, and again after a slot is freed', waiting, async (t) => {
  const world = openWorker(t)
  const worker = world.idle({ handlers: { mail: async () => {} }, concurrency: 2 })
  const [first, second] = [worker.adopt('a', 'mail'), worker.adopt('b', 'mail')]
  assert.ok(first && second)
  assert.equal(worker.adopt('c', 'mail'), null)
  first.release()
  first.release()
  assert.ok(worker.adopt('c', 'mail'))
  assert.equal(worker.adopt('d', 'mail'), null, 'a place that is returned twice is free once')
})

test('a worker adopts no more jobs of one tenant than its share', waiting, async (t) => {
  const world = openWorker(t)
  const worker = world.idle({ handlers: { mail: async () => {} }, concurrency: 8 })
  const adopted = Array.from({ length: 8 }, () => worker.adopt('hot', 'mail'))
  assert.deepEqual(
    adopted.map((one) => one !== null),
    [true, true, true, true, true, true, true, false],
  )
  assert.ok(worker.adopt('quiet', 'mail'))
})

test(
  'a worker with a batch size above 1 adopts no job while earlier jobs may wait in the queue',
  waiting,
  async (t) => {
    const world = openWorker(t)
    const handlers = { mail: async () => {} }
    for (const [batchSize, adoptsAgain] of [
      [1, true],
      [2, false],
    ] as const) {
      const worker = world.idle({ handlers, concurrency: 2, batchSize })
      const [first, second] = [worker.adopt('a', 'mail'), worker.adopt('b', 'mail')]
      assert.equal(worker.adopt('c', 'mail'), null)
      first?.release()
      second?.release()
      assert.equal(worker.adopt('c', 'mail') !== null, adoptsAgain, `batchSize ${batchSize}`)
    }
  },
)
