import assert from 'node:assert/strict'
import type { Batch } from '../../../src/core/commit/batch.ts'
import { acquireLease, type Job, type Lease, type NewJob } from '../../../src/core/jobs/job.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { ensureTenants, eventOf, stepOf } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

let tokens = 0

async function claim({ storage, clock }: World): Promise<readonly Job[]> {
  const { now } = clock
  const lease = () => ({ leaseToken: `token-${++tokens}`, worker: 'w', leaseUntil: now + 1_000 })
  const change = (job: Job) => acquireLease(job, lease(), now)
  return (await storage.jobs.claim({ now, kinds: ['run'], limit: 10, change }))?.jobs ?? []
}

const jobOf = (jobId: string, parts: Partial<NewJob> = {}): NewJob => ({
  jobId,
  kind: 'run',
  payload: { runId: 'run_1' },
  priority: 0,
  dueAt: null,
  attemptsMax: 3,
  ...parts,
})

const leaseOf = ({ clock }: World, leaseToken = 'mine'): Lease => ({
  leaseToken,
  worker: 'maker',
  leaseUntil: clock.now + 1_000,
})

const commit = ({ storage }: World, parts: Partial<Batch>) => storage.commit(batchOf({ tenantId: 'acme', ...parts }))

/** The job that drives a run changes in the commit of the run's step. */
export function runJobsContract(test: ContractTest): void {
  test('a job that is created with a lease is claimed by other workers only after the lease ends', async (world) => {
    await ensureTenants(world, 'acme')
    const made = await commit(world, { runs: [stepOf('run_1')], jobs: [jobOf('job_1', { lease: leaseOf(world) })] })
    assert.deepEqual(made.outcome.jobs, ['job_1'])
    const stored = await world.storage.jobs.get('acme', 'job_1')
    assert.deepEqual(made.jobs, [stored])
    assert.deepEqual(
      [stored?.status, stored?.leaseToken, stored?.worker, stored?.attempts, stored?.startedAt, stored?.dueAt],
      ['leased', 'mine', 'maker', 1, world.clock.now, world.clock.now + 1_000],
    )
    assert.deepEqual(await claim(world), [])
    world.clock.advance(999)
    assert.deepEqual(await claim(world), [])
    world.clock.advance(1)
    const [taken] = await claim(world)
    assert.deepEqual([taken?.jobId, taken?.attempts, taken?.lostLeases], ['job_1', 1, 1])
    const late = { jobId: 'job_1', leaseToken: 'mine', result: null }
    await rejectsWith('job_lease_lost', commit(world, { finish: late, runs: [stepOf('run_2')] }))
    assert.equal(await world.storage.runs.get('acme', 'run_2'), null)
  })

  test('a job keeps its trace until it ends', async (world) => {
    await ensureTenants(world, 'acme')
    const trace = { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, state: 'vendor=opaque' }
    await commit(world, { jobs: [jobOf('job_1', { trace, lease: leaseOf(world) }), jobOf('job_2')] })
    const traceOf = async (jobId: string) => (await world.storage.jobs.get('acme', jobId))?.trace
    assert.deepEqual([await traceOf('job_1'), await traceOf('job_2')], [trace, null])
    await commit(world, { park: { jobId: 'job_1', leaseToken: 'mine', dueAt: world.clock.now + 5, waitsFor: [] } })
    world.clock.advance(5)
    const [taken] = (await claim(world)).filter(({ jobId }) => jobId === 'job_1')
    assert.deepEqual(taken?.trace, trace)
    const finish = { jobId: 'job_1', leaseToken: taken?.leaseToken ?? '', result: null }
    await commit(world, { finish })
    assert.equal(await traceOf('job_1'), null)
  })

  test('a parked job waits until its instant, and its attempts start at zero', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { jobs: [jobOf('job_1', { lease: leaseOf(world) })] })
    world.clock.advance(1_000)
    const [lost] = await claim(world)
    const park = { jobId: 'job_1', leaseToken: lost?.leaseToken ?? '', dueAt: world.clock.now + 5_000, waitsFor: [] }
    const parked = await commit(world, { runs: [stepOf('run_1', { events: [eventOf('asked')] })], park })
    const stored = await world.storage.jobs.get('acme', 'job_1')
    assert.deepEqual(parked.jobs, [stored])
    assert.deepEqual(
      [stored?.status, stored?.leaseToken, stored?.worker, stored?.attempts, stored?.lostLeases, stored?.dueAt],
      ['queued', null, null, 0, 0, park.dueAt],
    )
    world.clock.advance(4_999)
    assert.deepEqual(await claim(world), [])
    world.clock.advance(1)
    const [taken] = await claim(world)
    assert.deepEqual([taken?.jobId, taken?.attempts], ['job_1', 1])
  })

  test('without the lease nothing is parked or finished, and nothing is stored', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { jobs: [jobOf('job_1', { lease: leaseOf(world) }), jobOf('job_2')] })
    const before = await world.storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 9 })
    const runs = [stepOf('run_1', { events: [eventOf('lost')] })]
    const dueAt = world.clock.now
    for (const [jobId, code] of [
      ['job_1', 'job_lease_lost'],
      ['job_2', 'job_lease_lost'],
      ['job_none', 'job_not_found'],
    ] as const) {
      await rejectsWith(code, commit(world, { runs, park: { jobId, leaseToken: 'other', dueAt, waitsFor: [] } }))
      await rejectsWith(code, commit(world, { runs, finish: { jobId, leaseToken: 'other', result: null } }))
    }
    assert.deepEqual(await world.storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 9 }), before)
    assert.equal(await world.storage.runs.get('acme', 'run_1'), null)
    const result = { ü: [1, null] }
    const done = await commit(world, { runs, finish: { jobId: 'job_1', leaseToken: 'mine', result } })
    assert.deepEqual([done.jobs[0]?.status, done.jobs[0]?.result], ['completed', result])
    assert.deepEqual(await world.storage.jobs.get('acme', 'job_1'), done.jobs[0])
  })

  test('a wake makes a waiting job due at once, and changes no other job', async (world) => {
    await ensureTenants(world, 'acme', 'other')
    const later = world.clock.now + 60_000
    const earlier = world.clock.now - 60_000
    await commit(world, {
      jobs: [
        jobOf('job_later', { dueAt: later }),
        jobOf('job_earlier', { dueAt: earlier, kind: 'unheard of' }),
        jobOf('job_leased', { lease: leaseOf(world) }),
        jobOf('job_done', { lease: leaseOf(world) }),
        jobOf('job_asleep', { dueAt: later }),
      ],
    })
    await commit(world, { finish: { jobId: 'job_done', leaseToken: 'mine', result: null } })
    await world.storage.commit(batchOf({ tenantId: 'other', jobs: [jobOf('job_later', { dueAt: later })] }))
    assert.deepEqual(await claim(world), [])
    const wakes = ['job_later', 'job_earlier', 'job_leased', 'job_done', 'job_none']
    const woken = await commit(world, { runs: [stepOf('run_1')], wakes })
    assert.deepEqual(
      woken.jobs.map(({ jobId, dueAt }) => [jobId, dueAt]),
      [
        ['job_later', world.clock.now],
        ['job_earlier', earlier],
      ],
    )
    assert.deepEqual(
      (await claim(world)).map(({ jobId }) => jobId),
      ['job_later'],
    )
    const jobs = await world.storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 9 })
    assert.deepEqual(Object.fromEntries(jobs.map(({ jobId, status }) => [jobId, status])), {
      job_later: 'leased',
      job_leased: 'leased',
      job_earlier: 'queued',
      job_done: 'completed',
      job_asleep: 'queued',
    })
    assert.equal((await world.storage.jobs.get('other', 'job_later'))?.dueAt, later)
  })

  test('a refused step wakes no job', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { runs: [stepOf('run_1')], jobs: [jobOf('job_1', { dueAt: world.clock.now + 1_000 })] })
    await rejectsWith('run_changed', commit(world, { runs: [stepOf('run_1')], wakes: ['job_1'] }))
    assert.deepEqual(await claim(world), [])
  })

  test('a job may be created, leased and finished in one group of commits', async (world) => {
    await ensureTenants(world, 'acme')
    const dueAt = world.clock.now + 60_000
    const made = stepOf('run_1', { events: [eventOf('made')] })
    const next = { ...made, expects: 1, firstSequence: 1 }
    const settled = await Promise.allSettled([
      commit(world, { runs: [made], jobs: [jobOf('job_1', { lease: leaseOf(world) })] }),
      commit(world, { runs: [next], park: { jobId: 'job_1', leaseToken: 'mine', dueAt, waitsFor: [] } }),
      commit(world, { park: { jobId: 'job_1', leaseToken: 'mine', dueAt, waitsFor: [] } }),
      commit(world, { wakes: ['job_1'] }),
    ])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(
      (await claim(world)).map(({ jobId, attempts }) => [jobId, attempts]),
      [['job_1', 1]],
    )
  })
}
