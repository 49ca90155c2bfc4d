import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../app/engine.ts'
import { enqueueJob, type Job } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import type { LeasedWork, LeaseRequest } from '../ports/job-store.ts'
import { type LeaseJobsOptions, leaseJobs } from './lease-jobs.ts'

const now = 100_000

function jobOf(jobId: string, more: Partial<Job> = {}): Job {
  const job = { jobId, kind: 'k', payload: null, priority: 0, dueAt: now - 40, attemptsMax: 3 }
  return { ...enqueueJob(job, 0), ...more }
}

/** A job whose worker was lost: its lease has run out. */
const lostJob = (jobId: string, lostLeases: number): Job =>
  jobOf(jobId, { status: 'leased', attempts: 1, lostLeases, leaseToken: 'old', worker: 'lost' })

type Store = (change: (job: Job) => Job) => LeasedWork | null

const offering =
  (...jobs: Job[]): Store =>
  (change) => ({ tenantId: 'acme', jobs: jobs.map(change), schedules: [] })

/** Claims from a store; `suspect` is the suspected poison pill that this process runs already. */
async function claim(
  store: Store,
  { suspect = null, ...options }: Partial<LeaseJobsOptions> & { suspect?: string | null } = {},
) {
  const requests: Omit<LeaseRequest, 'change'>[] = []
  const world = { suspect, requests }
  let leases = 0
  const engine = {
    storage: {
      jobs: {
        async claim({ change, ...request }: LeaseRequest) {
          requests.push(request)
          return store(change)
        },
      },
    },
    workers: {
      mayAttemptSuspect(jobId: string) {
        world.suspect ??= jobId
        return world.suspect === jobId
      },
      endSuspectAttempt(jobId: string) {
        if (world.suspect === jobId) world.suspect = null
      },
    } satisfies Partial<Engine['workers']>,
  } as unknown as Engine
  const newLease = () => ({ leaseToken: `token-${++leases}`, worker: 'w', leaseUntil: now + 1_000 })
  const request = { now, kinds: ['k'], limit: 2, newLease, callsOnDead: false, ...options }
  const taken = await leaseJobs(engine, request).catch((error: unknown) => ({ error }))
  return { taken, world }
}

async function claimed(...call: Parameters<typeof claim>) {
  const { taken, world } = await claim(...call)
  assert.ok(taken && 'jobs' in taken)
  return { ...taken, world }
}

test('each due job is leased with a lease of its own', async () => {
  const { jobs } = await claimed(offering(jobOf('a'), jobOf('b')))
  assert.deepEqual(
    jobs.map(({ status, attempts, leaseToken, worker, dueAt, startedAt }) => [
      status,
      attempts,
      leaseToken,
      worker,
      dueAt,
      startedAt,
    ]),
    [
      ['leased', 1, 'token-1', 'w', now + 1_000, now],
      ['leased', 1, 'token-2', 'w', now + 1_000, now],
    ],
  )
})

test('the claim says how long after its due time each job was leased', async () => {
  const { waited } = await claimed(offering(jobOf('a'), jobOf('b', { dueAt: now })))
  assert.deepEqual(Object.fromEntries(waited), { a: 40, b: 0 })
})

test('the store gets the kinds, the limit and the excluded tenants', async () => {
  const { taken, world } = await claim(() => null, { except: ['hot'] })
  assert.equal(taken, null)
  assert.deepEqual(world.requests, [{ now, kinds: ['k'], limit: 2, except: ['hot'] }])
})

test('a job that lost too many leases becomes a dead letter at once when the worker has no onDead', async () => {
  const { jobs, exhausted } = await claimed(offering(lostJob('a', limits.jobLostLeasesMax - 1)))
  assert.deepEqual([jobs[0]?.status, jobs[0]?.error?.code, jobs[0]?.endedAt], ['dead', 'poisoned', now])
  assert.equal(exhausted.size, 0)
})

test('a job that lost too many leases is leased and listed as exhausted when the worker has onDead', async () => {
  const { jobs, exhausted } = await claimed(offering(lostJob('a', limits.jobLostLeasesMax - 1), jobOf('b')), {
    callsOnDead: true,
  })
  const [job] = jobs
  assert.deepEqual(
    [job?.status, job?.leaseToken, job?.dueAt, job?.endedAt, job?.error?.code, job?.lostLeases],
    ['leased', 'token-1', now + 1_000, null, 'poisoned', limits.jobLostLeasesMax],
  )
  assert.deepEqual([...exhausted], ['a'])
})

test('a job that lost several leases is leased as the only suspected poison pill of the process', async () => {
  const { jobs, world } = await claimed(offering(lostJob('a', limits.jobSuspectLeases - 1)))
  assert.deepEqual([jobs[0]?.status, jobs[0]?.lostLeases], ['leased', limits.jobSuspectLeases])
  assert.equal(world.suspect, 'a', 'until its attempt has ended')
})

test('a job that lost fewer leases is no suspect', async () => {
  const { jobs, world } = await claimed(
    offering(jobOf('a', { lostLeases: limits.jobSuspectLeases - 1 }), lostJob('b', limits.jobSuspectLeases - 2)),
    { suspect: 'other' },
  )
  assert.deepEqual(
    jobs.map(({ status }) => status),
    ['leased', 'leased'],
  )
  assert.equal(world.suspect, 'other')
})

test('a second suspect is postponed without counting an attempt', async () => {
  const queued = jobOf('a', { lostLeases: limits.jobSuspectLeases, attempts: 1 })
  const { jobs, world } = await claimed(offering(queued, lostJob('b', limits.jobSuspectLeases)), { suspect: 'other' })
  assert.deepEqual(
    jobs.map(({ status, dueAt, attempts, lostLeases, leaseToken }) => [
      status,
      dueAt,
      attempts,
      lostLeases,
      leaseToken,
    ]),
    [
      ['queued', now + limits.jobPostponeMs, 1, limits.jobSuspectLeases, null],
      ['queued', now + limits.jobPostponeMs, 0, limits.jobSuspectLeases + 1, null],
    ],
  )
  assert.equal(world.suspect, 'other')
})

test('a suspect that the store did not lease after all may be tried by a later claim', async () => {
  const suspect = lostJob('a', limits.jobSuspectLeases)
  const rolledBack = await claim((change) => {
    change(suspect)
    return null
  })
  assert.deepEqual([rolledBack.taken, rolledBack.world.suspect], [null, null])
  const other = await claimed((change) => {
    change(suspect)
    return { tenantId: 'acme', jobs: [change(jobOf('b'))], schedules: [] }
  })
  assert.equal(other.world.suspect, null)
})

test('a suspect may be tried by a later claim when the store fails, and the error is passed on', async () => {
  const failure = new Error('connection lost')
  const { taken, world } = await claim((change) => {
    change(lostJob('a', limits.jobSuspectLeases))
    throw failure
  })
  assert.deepEqual(taken, { error: failure })
  assert.equal(world.suspect, null)
})
