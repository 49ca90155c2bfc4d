import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { leaseJob, openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { ColophonError } from '../../core/errors.ts'
import { failJob, isUnfinished, type Job, releaseJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { redactFailure } from '../../core/redaction/redaction.ts'
import { type Delivery, deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import { type FanOut, fanOutJobId } from '../../core/webhooks/fan-out.ts'
import type { Storage } from '../../ports/storage.ts'
import { fanOut } from './fan-out.ts'
import { createWebhook, removeWebhook } from './subscriptions.ts'

const { webhookDeliveriesPerCommitMax: perCommitMax } = limits
const { signal } = new AbortController()
const folder = createFolder()
after(() => folder.remove())
let files = 0
const stores: Readonly<Record<string, (options: { now: () => number }) => Storage>> = {
  model: openInMemoryStore,
  sqlite: (options) => openSqlite({ ...options, path: folder.file(`${++files}.db`) }),
}

/** A tenant with webhooks for every event and a workflow of many nodes. Notes how many jobs each commit stores. */
async function openMany(open: (typeof stores)[string], webhooks: number, nodes: number) {
  const stored: number[] = []
  const failing = { after: Number.POSITIVE_INFINITY }
  const counting = (options: { now: () => number }): Storage => {
    const storage = open(options)
    return {
      ...storage,
      async commit(batch) {
        if (batch.holds?.cursor !== undefined && failing.after-- <= 0) throw new ColophonError('storage_busy', 'Busy.')
        stored.push(batch.jobs.length)
        return storage.commit(batch)
      },
    }
  }
  const vault = { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] }
  const world = openUseCases(counting, { vault })
  const register = async (draft: object = {}) => {
    const { webhook } = await createWebhook(world.tenant, {
      url: 'https://hooks.example.com/in',
      events: ['*'],
      ...draft,
    })
    return webhook.webhookId
  }
  const webhookIds: string[] = []
  for (let nth = 0; nth < webhooks; nth++) webhookIds.push(await register())
  await putChain(
    world,
    'many',
    Array.from({ length: nodes }, (_, at) => ({ id: `n${at}`, typeId: 'core.noop' })),
  )
  const { jobs } = world.engine.storage
  /** What is stored for each webhook, in the order of the ids. */
  const deliveries = async () => {
    const all: Delivery[] = []
    for (let before: string | null = null; ; ) {
      const page = await jobs.list({ tenantId, status: null, after: before, limit: 500 })
      before = page.at(-1)?.jobId ?? null
      for (const { kind, payload } of page) if (kind === deliveryJobKind) all.push(payload as Delivery)
      if (before === null || page.length < 500) break
    }
    const byWebhook = Map.groupBy(all.reverse(), ({ webhookId }) => webhookId)
    return new Map([...byWebhook].map(([id, own]) => [id, own.map(({ sequence }) => sequence)]))
  }
  const jobOf = (runId: string) => jobs.get(tenantId, fanOutJobId(runId))
  const work = async (runId: string, stop: AbortSignal = signal) => {
    const lease = await leaseJob(world, fanOutJobId(runId))
    const job = await jobOf(runId)
    await fanOut(world.tenant, job?.payload as FanOut, lease, stop)
  }
  const release = (runId: string) => {
    const jobId = fanOutJobId(runId)
    return jobs.update(tenantId, jobId, (job) => releaseJob(job, `lease-${jobId}`, world.clock.now))
  }
  return { ...world, stored, failing, register, webhookIds, deliveries, jobOf, work, release }
}

const rangesOf = (job: Job | null) => (job?.payload as FanOut | undefined)?.ranges ?? []
const upTo = (count: number) => Array.from({ length: count }, (_, sequence) => sequence)

for (const [name, open] of Object.entries(stores)) {
  test(`a run with many nodes and webhooks stores few deliveries at a time, each once and in order, on ${name}`, async () => {
    await using world = await openMany(open, 20, 60)
    const { runId, nextSequence } = await startRun(world, { workflowId: 'many' })
    assert.ok(Math.max(...world.stored) <= 2, `${Math.max(...world.stored)} jobs with the step`)
    assert.deepEqual(await world.deliveries(), new Map())
    await world.work(runId)
    assert.ok(Math.max(...world.stored) <= perCommitMax, `${Math.max(...world.stored)} jobs in one commit`)
    assert.deepEqual(await world.deliveries(), new Map(world.webhookIds.map((id) => [id, upTo(nextSequence)])))
    assert.equal((await world.jobOf(runId))?.status, 'completed')
  })

  test(`a worker that fails or stops between two commits loses no delivery, and none is made twice, on ${name}`, async () => {
    await using world = await openMany(open, 20, 60)
    const { runId, nextSequence } = await startRun(world, { workflowId: 'many' })
    world.failing.after = 3
    await rejectsWith('storage_busy', world.work(runId))
    await world.release(runId)
    world.failing.after = Number.POSITIVE_INFINITY
    await rejectsWith('closed', world.work(runId, AbortSignal.abort()))
    await world.release(runId)
    await world.work(runId)
    assert.deepEqual(await world.deliveries(), new Map(world.webhookIds.map((id) => [id, upTo(nextSequence)])))
  })

  test(`events get to the webhooks that there were, as far as they still are, on ${name}`, async () => {
    await using world = await openMany(open, 4, 60)
    const [removed = '', ...others] = world.webhookIds
    const one = await world.register({ events: ['run.completed'], tags: ['gold'] })
    const none = await world.register({ events: ['*'], tags: ['silver'] })
    const { runId, nextSequence } = await startRun(world, { workflowId: 'many', tags: ['gold'] })
    const late = await world.register()
    await removeWebhook(world.tenant, removed, {})
    await world.work(runId)
    const deliveries = await world.deliveries()
    assert.deepEqual(
      deliveries,
      new Map([...others.map((id) => [id, upTo(nextSequence)] as const), [one, [nextSequence - 1]]]),
    )
    assert.ok(!deliveries.has(none) && !deliveries.has(late))
  })
}

test('a step of a run whose earlier events wait is made deliveries of after them', async () => {
  await using world = await openMany(openInMemoryStore, 3, 210)
  const { runId, nextSequence } = await startRun(world, { workflowId: 'many' })
  assert.ok(nextSequence > 2 * limits.runStepEventsMax, 'several steps')
  const job = await world.jobOf(runId)
  assert.deepEqual(
    rangesOf(job).map(({ fromSequence, toSequence }) => [fromSequence, toSequence]),
    [[0, nextSequence - 1]],
  )
  await world.work(runId)
  assert.deepEqual(await world.deliveries(), new Map(world.webhookIds.map((id) => [id, upTo(nextSequence)])))
})

test('of a run that was deleted meanwhile nothing is made, and the job completes', async () => {
  await using world = await openMany(openInMemoryStore, 20, 60)
  const { runId } = await startRun(world, { workflowId: 'many' })
  await world.tenant.commit({ kind: 'memory.written', runsPruned: [runId] }, { call: { operation: 'prune' } })
  await world.work(runId)
  const job = await world.jobOf(runId)
  assert.ok(job && !isUnfinished(job))
  assert.deepEqual(await world.deliveries(), new Map())
})

test('an ordinary run stores its deliveries with its events', async () => {
  await using world = await openMany(openInMemoryStore, 1, 5)
  const { runId, nextSequence } = await startRun(world, { workflowId: 'many' })
  assert.deepEqual(await world.deliveries(), new Map(world.webhookIds.map((id) => [id, upTo(nextSequence)])))
  assert.equal(await world.jobOf(runId), null)
})

test('a fan-out that fails now and then, and moves on between, does not become a dead letter', async () => {
  await using world = await openMany(openInMemoryStore, 40, 60)
  const { runId, nextSequence } = await startRun(world, { workflowId: 'many' })
  const { jobs } = world.engine.storage
  const jobId = fanOutJobId(runId)
  for (let failed = 0; (await world.jobOf(runId))?.status !== 'completed'; failed++) {
    assert.ok(failed < 100, 'it moves on')
    world.failing.after = 1
    await world.work(runId).catch(async () => {
      const failure = redactFailure({ code: 'storage_busy', message: 'Busy.' }, (text) => text, true)
      const job = await jobs.update(tenantId, jobId, (job) => failJob(job, `lease-${jobId}`, failure, world.clock.now))
      assert.equal(job.attempts, 1)
      world.clock.now = job.dueAt ?? world.clock.now
    })
  }
  assert.deepEqual(await world.deliveries(), new Map(world.webhookIds.map((id) => [id, upTo(nextSequence)])))
})
