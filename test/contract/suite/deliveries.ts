import assert from 'node:assert/strict'
import type { Batch } from '../../../src/core/commit/batch.ts'
import { acquireLease, cancelJob, deadLetter, type Job, type NewJob } from '../../../src/core/jobs/job.ts'
import {
  coalesce,
  coalescedJobId,
  type Delivery,
  deliveryJobKind,
  endDelivery,
} from '../../../src/core/webhooks/coalesced-delivery.ts'
import { fanOutJobId, fanOutJobKind } from '../../../src/core/webhooks/fan-out.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { ensureTenants } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const webhookId = 'wh_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'
const jobId = coalescedJobId(webhookId)
const runId = (run: number) => `run_019a8c5e-7d51-7c3a-9b1e-${String(run).padStart(12, '0')}`

const jobOf = (id: string, payload: unknown, parts: Partial<NewJob> = {}): NewJob => ({
  ...{ jobId: id, kind: deliveryJobKind, payload, priority: 5, dueAt: null, attemptsMax: 8 },
  ...parts,
})
const joining = (run: number, sequence: number, at: number): NewJob =>
  jobOf(jobId, coalesce({ webhookId, runId: runId(run), sequence }, at), { joins: true })

const commit = ({ storage }: World, parts: Partial<Batch>) => storage.commit(batchOf({ tenantId: 'acme', ...parts }))
const join = (world: World, run: number, sequence: number) =>
  commit(world, { jobs: [joining(run, sequence, world.clock.now)] })
const stored = async ({ storage }: World): Promise<Job> => (await storage.jobs.get('acme', jobId)) as Job
const rangesOf = ({ payload }: Job) =>
  (payload as Delivery).coalesced?.ranges.map((range) => [range.runId, range.fromSequence, range.toSequence])

function lease({ storage, clock }: World): Promise<Job> {
  const held = { leaseToken: 'mine', worker: 'w', leaseUntil: clock.now + 1_000 }
  return storage.jobs.update('acme', jobId, (job) => acquireLease(job, held, clock.now))
}
const end = ({ storage, clock }: World) =>
  storage.jobs.update('acme', jobId, (job) => endDelivery(job, { leaseToken: 'mine', result: null }, clock.now))

/** Waiting deliveries of a webhook are counted, and those above the limit are coalesced into one job. */
export function deliveriesContract(test: ContractTest): void {
  test('waiting deliveries are counted per webhook and tenant, up to a maximum', async (world) => {
    await ensureTenants(world, 'acme', 'other')
    const to = (id: string) => ({ webhookId: id, runId: runId(1), sequence: 0 })
    const jobs = [jobOf('job_1', to('wh_a')), jobOf('job_2', to('wh_a')), jobOf('job_3', to('wh_a'))]
    const others = [jobOf('job_4', to('wh_b')), jobOf('job_5', { webhookId: 'wh_b' }, { kind: 'k' })]
    await commit(world, { jobs: [...jobs, ...others] })
    await commit(world, { tenantId: 'other', jobs: [jobOf('job_1', to('wh_a'))] })
    const count = async (countMax: number) =>
      Object.fromEntries(await world.storage.jobs.waitingDeliveries('acme', ['wh_a', 'wh_b', 'wh_c'], countMax))
    assert.deepEqual(await count(10), { wh_a: 3, wh_b: 1 })
    assert.deepEqual(await count(2), { wh_a: 2, wh_b: 1 })
    const held = { leaseToken: 'mine', worker: 'w', leaseUntil: world.clock.now + 1_000 }
    await world.storage.jobs.update('acme', 'job_1', (job) => acquireLease(job, held, world.clock.now))
    await world.storage.jobs.update('acme', 'job_2', (job) => cancelJob(job, world.clock.now))
    assert.deepEqual(
      await count(10),
      { wh_a: 2, wh_b: 1 },
      'one that is being sent still waits, a cancelled one does not',
    )
    assert.deepEqual(await world.storage.jobs.waitingDeliveries('acme', [], 10), new Map())
  })

  test('coalesced deliveries become one job, also those of one group of commits', async (world) => {
    await ensureTenants(world, 'acme')
    await join(world, 1, 4)
    const first = await stored(world)
    await Promise.all(Array.from({ length: 20 }, (_, index) => join(world, 2 + (index % 2), index)))
    await join(world, 1, 7)
    const job = await stored(world)
    assert.deepEqual(
      new Map(rangesOf(job)?.map(([id, ...range]) => [id, range])),
      new Map([
        [runId(1), [4, 7]],
        [runId(2), [0, 18]],
        [runId(3), [1, 19]],
      ]),
    )
    const { payload, ...rest } = job
    const { payload: _first, ...same } = first
    assert.deepEqual(rest, same)
    assert.equal((payload as Delivery).coalesced?.count, 22)
    assert.equal((await world.storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 10 })).length, 1)
  })

  test('a delivery that is coalesced while the job is being sent is sent next', async (world) => {
    await ensureTenants(world, 'acme')
    await join(world, 1, 0)
    await lease(world)
    await join(world, 2, 5)
    await join(world, 2, 6)
    assert.deepEqual(rangesOf(await stored(world)), [[runId(1), 0, 0]], 'what is being sent stays')
    await end(world)
    const next = await stored(world)
    assert.deepEqual([next.status, next.attempts, rangesOf(next)], ['queued', 0, [[runId(2), 5, 6]]])
    await lease(world)
    await end(world)
    assert.equal((await stored(world)).status, 'completed')
  })

  test('a fan-out moves its cursor with the deliveries it stores, goes on with what joins it, and completes at the end', async (world) => {
    await ensureTenants(world, 'acme')
    const id = fanOutJobId(runId(1))
    const range = (fromSequence: number, toSequence: number, webhookIds = [webhookId]) => ({
      ...{ runId: runId(1), fromSequence, toSequence, webhookIds },
    })
    const joinRange = (...all: ReturnType<typeof range>[]) =>
      commit(world, { jobs: [jobOf(id, { ranges: all }, { kind: fanOutJobKind, joins: true })] })
    const job = async () => (await world.storage.jobs.get('acme', id)) as Job
    const left = async () => (await job()).payload
    const hold = () => {
      const held = { leaseToken: 'mine', worker: 'w', leaseUntil: world.clock.now + 1_000 }
      return world.storage.jobs.update('acme', id, (one) => acquireLease(one, held, world.clock.now))
    }
    const move = (cursor: number, jobs: NewJob[] = [], leaseToken = 'mine') =>
      commit(world, { jobs, holds: { jobId: id, leaseToken, cursor } })
    await joinRange(range(0, 9))
    await joinRange(range(10, 19))
    assert.deepEqual(await left(), { ranges: [range(0, 19)] }, 'what follows is one range')
    await hold()
    const moved = await move(5, [jobOf('job_1', { webhookId, runId: runId(1), sequence: 4 })])
    assert.deepEqual(moved.jobs.find(({ jobId: one }) => one === id)?.payload, { ranges: [range(5, 19)] })
    await joinRange(range(20, 21, [webhookId, 'wh_b']))
    assert.deepEqual(await left(), { ranges: [range(5, 19), range(20, 21, [webhookId, 'wh_b'])] })
    await rejectsWith('job_lease_lost', move(6, [jobOf('job_2', {})], 'other'))
    assert.equal(await world.storage.jobs.get('acme', 'job_2'), null, 'a worker that lost the job stores nothing')
    await move(20)
    assert.deepEqual([(await job()).status, await left()], ['leased', { ranges: [range(20, 21, [webhookId, 'wh_b'])] }])
    await move(22)
    assert.deepEqual([(await job()).status, await left()], ['completed', { ranges: [] }])
    await joinRange(range(22, 23))
    assert.deepEqual([(await job()).status, await left()], ['queued', { ranges: [range(22, 23)] }])
    await hold()
    await world.storage.jobs.update('acme', id, (one) => deadLetter(one, 'mine', world.clock.now))
    await joinRange(range(24, 24))
    assert.deepEqual([(await job()).status, await left()], ['queued', { ranges: [range(22, 24)] }])
  })

  test('after a completed delivery the next one starts empty; a dead one is part of the next', async (world) => {
    await ensureTenants(world, 'acme')
    await join(world, 1, 0)
    await lease(world)
    await end(world)
    world.clock.advance(10)
    await join(world, 2, 0)
    const anew = await stored(world)
    assert.deepEqual(
      [anew.status, anew.attempts, anew.endedAt, rangesOf(anew)],
      ['queued', 0, null, [[runId(2), 0, 0]]],
    )
    await lease(world)
    await world.storage.jobs.update('acme', jobId, (job) => deadLetter(job, 'mine', world.clock.now))
    await join(world, 3, 1)
    const revived = await stored(world)
    assert.deepEqual(
      [revived.status, rangesOf(revived)],
      [
        'queued',
        [
          [runId(2), 0, 0],
          [runId(3), 1, 1],
        ],
      ],
    )
  })
}
