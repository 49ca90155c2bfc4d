import assert from 'node:assert/strict'
import {
  acquireLease,
  cancelJob,
  extendLease,
  failJob,
  type Job,
  releaseJob,
  retryDelayMs,
} from '../../../src/core/jobs/job.ts'
import { limits } from '../../../src/core/limits.ts'
import { redactValue } from '../../../src/core/redaction/redaction.ts'
import { rejectsWith } from './assert-code.ts'
import type { ContractTest, World } from './world.ts'

let tokens = 0

async function claim({ storage, clock }: World, kinds: string[] = ['k'], limit = 1) {
  const now = clock.now
  const change = (job: Job) =>
    acquireLease(job, { leaseToken: `token-${++tokens}`, worker: 'w', leaseUntil: now + 1_000 }, now)
  return storage.jobs.claim({ now, kinds, limit, change })
}

async function claimOne(world: World, kinds?: string[]): Promise<Job> {
  const job = (await claim(world, kinds))?.jobs[0]
  assert.ok(job, 'expected a due job')
  return job
}

const leaseOf = (job: Job) => ({ jobId: job.jobId, leaseToken: job.leaseToken ?? '', spent: false })
const clean = <T>(value: T) => redactValue(value, (text) => text)
const oops = clean({ code: 'oops', message: 'no luck' })

/** Durable jobs: leased, retried, never lost, with effect once. */
export function jobsContract(test: ContractTest): void {
  test('the most urgent due job of a known kind comes first', async (world) => {
    const jobs = world.colophon.jobs('acme')
    const low = await jobs.enqueue({ kind: 'k', priority: -1, payload: { n: 1, deep: ['x', null] } })
    const high = await jobs.enqueue({ kind: 'k', priority: 5 })
    await jobs.enqueue({ kind: 'other', priority: 9 })
    await jobs.enqueue({ kind: 'k', priority: 9, dueAt: new Date(world.clock.now + 60_000) })
    assert.deepEqual([(await claimOne(world)).jobId, (await claimOne(world)).jobId], [high, low])
    assert.deepEqual((await claim(world))?.jobs, [])
    assert.deepEqual((await jobs.get(low))?.payload, { n: 1, deep: ['x', null] })
    world.clock.advance(60_000)
    assert.equal((await claim(world, ['k'], 10))?.jobs.length, 3, 'the future job, and two whose leases ran out')
  })

  test('several jobs are claimed by their priority, then by their age', async (world) => {
    const jobs = world.colophon.jobs('acme')
    const enqueue = (priority: number, kind = 'k') => {
      world.clock.advance(1)
      return jobs.enqueue({ kind, priority })
    }
    const [older, lowest, high, younger] = [await enqueue(0), await enqueue(-1), await enqueue(5), await enqueue(0)]
    await enqueue(0, 'other')
    const taken = [(await claim(world, ['k'], 2))?.jobs ?? [], (await claim(world, ['k'], 9))?.jobs ?? []]
    const ids = taken.map((claimed) => claimed.map(({ jobId }) => jobId))
    assert.deepEqual(ids, [
      [high, older],
      [younger, lowest],
    ])
  })

  test('with no work nothing is claimed', async (world) => {
    assert.equal(await claim(world), null)
    const jobId = await world.colophon.jobs('acme').enqueue({ kind: 'k' })
    await world.colophon.jobs('acme').cancel(jobId)
    assert.deepEqual((await claim(world))?.jobs ?? [], [])
    assert.equal(await claim(world), null)
  })

  test('tenants are served in turn, however many jobs one of them has', async (world) => {
    for (let i = 0; i < 6; i++) await world.colophon.jobs('busy').enqueue({ kind: 'k' })
    await world.colophon.jobs('quiet').enqueue({ kind: 'k' })
    await world.colophon.jobs('calm').enqueue({ kind: 'k' })
    const turns = [await claim(world), await claim(world), await claim(world)].map((taken) => taken?.tenantId)
    assert.deepEqual(turns.toSorted(), ['busy', 'calm', 'quiet'])
  })

  test('excluded tenants are skipped, and are served again later', async (world) => {
    for (const tenant of ['a', 'b']) await world.colophon.jobs(tenant).enqueue({ kind: 'k' })
    const claimExcept = async (...except: string[]) => {
      const now = world.clock.now
      const change = (job: Job) => acquireLease(job, { leaseToken: 't', worker: 'w', leaseUntil: now + 1_000 }, now)
      return (await world.storage.jobs.claim({ now, kinds: ['k'], limit: 1, except, change }))?.tenantId
    }
    assert.equal(await claimExcept('a', 'b'), undefined)
    assert.equal(await claimExcept('a'), 'b')
    assert.equal(await claimExcept('b'), 'a')
  })

  // Model rule: lease.one-effect
  test('an effect and the end of its job are one commit', async (world) => {
    const memory = world.colophon.memory('acme')
    await world.colophon.jobs('acme').enqueue({ kind: 'k' })
    const first = leaseOf(await claimOne(world))
    world.clock.advance(1_001)
    const second = leaseOf(await claimOne(world))
    await rejectsWith('job_lease_lost', memory.put('notes', { content: 'late' }, { completes: first }))
    assert.deepEqual((await memory.list('notes')).entries, [])
    await memory.put('notes', { content: 'effect' }, { completes: second })
    assert.equal(second.spent, true)
    await rejectsWith('job_lease_lost', memory.put('notes', { content: 'twice' }, { completes: second }))
    assert.equal((await memory.list('notes')).entries.length, 1)
    const done = await world.colophon.jobs('acme').get(first.jobId)
    assert.deepEqual(
      [done?.status, done?.attempts, done?.lostLeases, done?.endedAt],
      ['completed', 1, 1, world.clock.now],
    )
  })

  test('a job whose effect an earlier attempt already stored still completes', async (world) => {
    const memory = world.colophon.memory('acme')
    const effect = () => memory.put('notes', { content: 'effect' }, { idempotencyKey: 'effect-1' })
    const first = await effect()
    const jobId = await world.colophon.jobs('acme').enqueue({ kind: 'k' })
    const lease = leaseOf(await claimOne(world))
    const again = await memory.put('notes', { content: 'effect' }, { idempotencyKey: 'effect-1', completes: lease })
    assert.deepEqual(again, first)
    assert.equal(lease.spent, true)
    assert.equal((await world.colophon.jobs('acme').get(jobId))?.status, 'completed')
    assert.equal((await memory.list('notes')).entries.length, 1)
  })

  test('a failed attempt waits longer each time, then the job is a dead letter, then it can be retried by hand', async (world) => {
    const jobs = world.colophon.jobs('acme')
    const jobId = await jobs.enqueue({ kind: 'k', attemptsMax: 3 })
    for (const attempt of [1, 2, 3]) {
      const job = await claimOne(world)
      assert.equal(job.attempts, attempt)
      await world.storage.jobs.update('acme', jobId, (current) =>
        failJob(current, job.leaseToken ?? '', oops, world.clock.now),
      )
      if (attempt === 3) break
      world.clock.advance(retryDelayMs(attempt) - 1)
      assert.deepEqual((await claim(world))?.jobs ?? [], [])
      world.clock.advance(1)
    }
    const dead = await jobs.get(jobId)
    assert.deepEqual(
      [dead?.status, dead?.error, dead?.endedAt],
      ['dead', { code: 'oops', message: 'no luck' }, world.clock.now],
    )
    assert.deepEqual(
      (await jobs.list({ status: 'dead' })).map((job) => job.jobId),
      [jobId],
    )
    await jobs.retry(jobId)
    assert.equal((await claimOne(world)).attempts, 1)
    await rejectsWith('job_state', jobs.retry(jobId))
  })

  // Model rule: lease.poison-pill
  test('a job that loses its lease too often becomes a dead letter as poisoned', async (world) => {
    const jobId = await world.colophon.jobs('acme').enqueue({ kind: 'k' })
    for (let lost = 0; lost < limits.jobLostLeasesMax; lost++) {
      assert.equal((await claimOne(world)).attempts, 1, 'a lost lease is not a failed attempt')
      world.clock.advance(1_001)
    }
    const given = (await claim(world))?.jobs ?? []
    assert.deepEqual(
      given.map(({ status }) => status),
      ['dead'],
      'given to the worker that claims it, so that it can be ended',
    )
    const dead = await world.colophon.jobs('acme').get(jobId)
    assert.deepEqual([dead?.status, dead?.error?.code], ['dead', 'poisoned'])
  })

  test('a heartbeat extends the lease and stores progress; cancelling ends the lease', async (world) => {
    const jobs = world.colophon.jobs('acme')
    const jobId = await jobs.enqueue({ kind: 'k' })
    const { leaseToken } = leaseOf(await claimOne(world))
    world.clock.advance(900)
    const beat = (note?: { progress: unknown }) =>
      world.storage.jobs.update('acme', jobId, (job) =>
        extendLease(job, leaseToken, world.clock.now + 1_000, note && clean(note)),
      )
    await beat({ progress: { done: 3 } })
    world.clock.advance(900)
    assert.deepEqual((await claim(world))?.jobs ?? [], [])
    await beat()
    assert.deepEqual((await jobs.get(jobId))?.progress, { done: 3 })
    await jobs.cancel(jobId)
    await rejectsWith('job_lease_lost', beat())
    await rejectsWith(
      'job_state',
      world.storage.jobs.update('acme', jobId, (job) => cancelJob(job, world.clock.now)),
    )
    await rejectsWith('job_not_found', jobs.cancel('job_unknown'))
  })

  test('a released job is queued again with its attempts unchanged', async (world) => {
    const jobId = await world.colophon.jobs('acme').enqueue({ kind: 'k' })
    const job = await claimOne(world)
    await world.storage.jobs.update('acme', jobId, (current) =>
      releaseJob(current, job.leaseToken ?? '', world.clock.now),
    )
    assert.equal((await claimOne(world)).attempts, 1)
  })

  test('jobs are listed newest first, in pages', async ({ colophon }) => {
    const jobs = colophon.jobs('acme')
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.unshift(await jobs.enqueue({ kind: 'k' }))
    const first = await jobs.list({ limit: 4 })
    const rest = await jobs.list({ limit: 4, after: first.at(-1)?.jobId ?? '' })
    assert.deepEqual(
      [...first, ...rest].map((job) => job.jobId),
      ids,
    )
  })

  test('a worker runs due jobs, retries failed ones and finishes the current one when stopped', async ({
    colophon,
    clock,
  }) => {
    const jobs = colophon.jobs('acme')
    const memory = colophon.memory('acme')
    let failures = 0
    const worker = colophon.worker({
      pollMs: 5,
      handlers: {
        async remember(job) {
          await memory.put('notes', { content: String(job.payload) }, { completes: job.lease })
        },
        async flaky(job) {
          job.progress({ attempt: job.attempt })
          const cycle: unknown[] = []
          cycle.push(cycle)
          assert.throws(() => job.progress(cycle), { code: 'validation_error' })
          if (failures++ === 0) throw new Error('canary message that may quote anything')
          return { ok: true }
        },
      },
    })
    const remembered = await Promise.all(
      Array.from({ length: 20 }, (_, i) => jobs.enqueue({ kind: 'remember', payload: i })),
    )
    const flaky = await jobs.enqueue({ kind: 'flaky' })
    const done = async (jobId: string) => (await jobs.get(jobId))?.status === 'completed'
    while ((await jobs.get(flaky))?.error === null) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual((await jobs.get(flaky))?.error, {
      code: 'handler_failed',
      message: "The job's handler threw Error.",
    })
    clock.advance(retryDelayMs(1))
    for (const jobId of [...remembered, flaky])
      while (!(await done(jobId))) await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.stop()
    assert.deepEqual((await jobs.get(flaky))?.result, { ok: true })
    assert.equal((await memory.list('notes')).entries.length, 20)
  })

  test('a worker may claim several jobs of a tenant together; each runs once', async ({ colophon }) => {
    const kinds = { handlers: { k: async () => {} } }
    assert.throws(() => colophon.worker({ ...kinds, concurrency: 2, batchSize: 3 }), { code: 'validation_error' })
    const jobs = colophon.jobs('acme')
    const ids = await Promise.all(Array.from({ length: 7 }, () => jobs.enqueue({ kind: 'k' })))
    let together = 0
    let atOnce = 0
    const done: string[] = []
    const worker = colophon.worker({
      pollMs: 5,
      concurrency: 3,
      batchSize: 3,
      handlers: {
        async k({ jobId }) {
          together += 1
          atOnce = Math.max(atOnce, together)
          await new Promise((resolve) => setImmediate(resolve))
          together -= 1
          done.push(jobId)
        },
      },
    })
    const isDone = async (jobId: string) => (await jobs.get(jobId))?.status === 'completed'
    for (const jobId of ids) while (!(await isDone(jobId))) await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.stop()
    assert.deepEqual(done.sort(), ids.sort())
    assert.ok(atOnce <= 3, `${atOnce} at once`)
  })

  test('a worker in a busy process pauses between batches, and completes all jobs', async ({ colophon }) => {
    const jobs = colophon.jobs('acme')
    const ids = await Promise.all(Array.from({ length: 6 }, () => jobs.enqueue({ kind: 'k' })))
    let started = 0
    const startedBefore: number[] = []
    const worker = colophon.worker({
      pollMs: 5,
      concurrency: 2,
      batchSize: 2,
      isBusy: () => {
        startedBefore.push(started)
        return true
      },
      handlers: {
        async k() {
          started += 1
        },
      },
    })
    const isDone = async (jobId: string) => (await jobs.get(jobId))?.status === 'completed'
    for (const jobId of ids) while (!(await isDone(jobId))) await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.stop()
    // Not before the first batch, which may be a single job that a caller waits for.
    assert.deepEqual(startedBefore.slice(0, 2), [2, 4])
  })

  test('a worker that is stopped during such a pause claims no more jobs', async ({ colophon }) => {
    const jobs = colophon.jobs('acme')
    await Promise.all(Array.from({ length: 4 }, () => jobs.enqueue({ kind: 'k' })))
    let started = 0
    const stopped = new Promise<void>((resolve) => {
      const worker = colophon.worker({
        pollMs: 5,
        concurrency: 2,
        batchSize: 2,
        isBusy: () => {
          resolve(worker.stop())
          return true
        },
        handlers: {
          async k() {
            started += 1
          },
        },
      })
    })
    await stopped
    assert.equal(started, 2)
  })

  test('the dead-letter handler runs before the job becomes a dead letter', async ({ colophon }) => {
    const jobs = colophon.jobs('acme')
    const jobId = await jobs.enqueue({ kind: 'k', attemptsMax: 1 })
    const statuses: (string | undefined)[] = []
    const worker = colophon.worker({
      pollMs: 5,
      handlers: {
        async k() {
          throw new Error('no')
        },
      },
      onDead: async (_tenantId, job) => {
        statuses.push((await jobs.get(job.jobId))?.status)
      },
    })
    while ((await jobs.get(jobId))?.status !== 'dead') await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.stop()
    assert.deepEqual(statuses, ['leased'])
  })
}
