import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { leaseJob, openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { failJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { redactValue } from '../../core/redaction/redaction.ts'
import { coalescedJobId, type Delivery, deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { WebhookOutcome } from '../../ports/webhook-sender.ts'
import type { WebhookEvent } from '../engine.ts'
import { WebhookCircuitBreaker } from './circuit-breaker.ts'
import { WebhookBacklog } from './delivery-backlog.ts'
import { createWebhook } from './subscriptions.ts'
import { deliverJob } from './webhook-delivery.ts'

const waitingMax = 8
const { signal } = new AbortController()
const folder = createFolder()
after(() => folder.remove())
let files = 0
const stores = {
  model: openInMemoryStore,
  sqlite: (options: { now: () => number }) => openSqlite({ ...options, path: folder.file(`${++files}.db`) }),
}

/** A tenant with a webhook for which few deliveries may wait, and a sender that answers as the test says. */
async function openBacklog(
  open: (options: { now: () => number }) => ReturnType<typeof openInMemoryStore>,
  version: object = {},
) {
  const sent: WebhookEvent[] = []
  const sending: { outcome: WebhookOutcome; whileSending: () => Promise<unknown> } = {
    outcome: { ok: true, status: 200 },
    whileSending: async () => {},
  }
  const toRequest = (event: WebhookEvent) => {
    sent.push(event)
    return { headers: {}, body: '' }
  }
  const send = async () => {
    await sending.whileSending()
    return sending.outcome
  }
  const webhooks = { sender: { send }, toRequest, allowPrivate: false, breaker: new WebhookCircuitBreaker() }
  const vault = { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] }
  const host = { webhooks, webhookBacklog: new WebhookBacklog(waitingMax) }
  const world = openUseCases(open, { vault, host })
  const url = 'https://hooks.example.com/in'
  const { webhookId } = (await createWebhook(world.tenant, { url, events: ['*'], ...version })).webhook
  await putChain(world, 'visit', [{ id: 'only', typeId: 'core.noop' }])
  const visit = () => startRun(world, { workflowId: 'visit' })
  const { jobs } = world.engine.storage
  const waiting = async () =>
    (await jobs.list({ tenantId, status: 'queued', after: null, limit: 100 }))
      .filter(({ kind }) => kind === deliveryJobKind)
      .map(({ jobId, payload }) => ({ jobId, delivery: payload as Delivery }))
  const coalesced = async () => (await jobs.get(tenantId, coalescedJobId(webhookId)))?.payload as Delivery | undefined
  const deliverOne = async (jobId: string) => {
    const lease = await leaseJob(world, jobId)
    const { payload } = (await jobs.get(tenantId, jobId)) ?? {}
    const result = await deliverJob(world.tenant, payload as Delivery, lease, signal)
    if (!lease.spent)
      await world.tenant.commit({ kind: 'memory.written' }, { completes: lease, call: { operation: 'x' } })
    return result
  }
  return { ...world, sent, sending, webhookId, visit, waiting, coalesced, deliverOne }
}

for (const [name, open] of Object.entries(stores)) {
  test(`the number of jobs is bounded while a receiver is unavailable, and it gets every event, on ${name}`, async () => {
    await using world = await openBacklog(open)
    const { clock, sent, webhookId, visit, waiting, coalesced, deliverOne } = world
    const runs = [await visit()]
    const eventsPerRun = runs[0]?.nextSequence ?? 0
    for (let run = 1; run < 30; run++) {
      clock.advance(run % 3 === 0 ? limits.webhookBacklogCacheMs : 10)
      runs.push(await visit())
      assert.ok((await waiting()).length <= waitingMax + 1, 'the limit, and the job that the others share')
    }
    const all = await waiting()
    const shared = await coalesced()
    assert.equal(shared?.coalesced?.count, 30 * eventsPerRun - waitingMax)
    // Whatever has no delivery of its own is in a range.
    for (const { runId, nextSequence } of runs) {
      const own = all.filter(({ delivery }) => delivery.runId === runId && !delivery.coalesced)
      const range = shared?.coalesced?.ranges.find((candidate) => candidate.runId === runId)
      for (let sequence = 0; sequence < nextSequence; sequence++)
        assert.ok(
          own.some(({ delivery }) => delivery.sequence === sequence) ||
            (range && range.fromSequence <= sequence && sequence <= range.toSequence),
          `${runId} ${sequence}`,
        )
    }
    // The receiver is back.
    for (const { jobId } of all) assert.deepEqual(await deliverOne(jobId), { delivered: true, status: 200 })
    assert.deepEqual(await waiting(), [])
    const last = sent.find((event) => event.coalesced !== undefined)
    assert.deepEqual([last?.runId, last?.event.type], [runs.at(-1)?.runId, 'run.completed'])
    assert.deepEqual(last?.coalesced, shared?.coalesced)
    assert.equal((await world.engine.storage.jobs.get(tenantId, coalescedJobId(webhookId)))?.status, 'completed')
    clock.advance(limits.webhookBacklogCacheMs)
    await visit()
    assert.deepEqual(
      (await waiting()).map(({ delivery }) => delivery.coalesced),
      Array(eventsPerRun).fill(undefined),
    )
  })

  test(`events of a run that continues while a delivery is sent are in the next delivery, on ${name}`, async () => {
    await using world = await openBacklog(open)
    const { engine, sent, sending, webhookId, visit, coalesced, deliverOne } = world
    for (let run = 0; run < 3; run++) await visit()
    const before = (await coalesced())?.coalesced?.count
    let during = ''
    sending.whileSending = async () => {
      sending.whileSending = async () => {}
      during = (await visit()).runId
    }
    await deliverOne(coalescedJobId(webhookId))
    assert.equal(sent.at(-1)?.coalesced?.count, before)
    assert.deepEqual(
      (await coalesced())?.coalesced?.ranges.map(({ runId }) => runId),
      [during],
    )
    // A failed delivery keeps its events and those that joined it while it was sent.
    const count = (await coalesced())?.coalesced?.count ?? 0
    sending.outcome = { ok: false, reason: 'timeout' }
    sending.whileSending = visit
    const jobId = coalescedJobId(webhookId)
    await rejectsWith('delivery_failed', deliverOne(jobId))
    const oops = redactValue({ code: 'delivery_failed', message: '' }, (text) => text)
    await engine.storage.jobs.update(tenantId, jobId, (job) => failJob(job, `lease-${jobId}`, oops, 0))
    sending.whileSending = async () => {}
    await visit()
    const { nextSequence } = await visit()
    assert.equal((await coalesced())?.coalesced?.count, count + 3 * nextSequence)
  })
}

test('when the newest event of a coalesced delivery was erased, the next newest is delivered', async () => {
  await using world = await openBacklog(openInMemoryStore)
  const { engine, sent, webhookId, visit, waiting, deliverOne } = world
  const runs = [await visit(), await visit(), await visit()]
  await world.tenant.commit(
    { kind: 'memory.written', runsPruned: [runs[2]?.runId ?? ''] },
    { call: { operation: 'prune' } },
  )
  assert.equal(await engine.storage.runs.get(tenantId, runs[2]?.runId ?? ''), null)
  await deliverOne(coalescedJobId(webhookId))
  assert.deepEqual([sent[0]?.runId, sent[0]?.event.type], [runs[1]?.runId, 'run.completed'])
  assert.ok(!(await waiting()).some(({ delivery }) => delivery.coalesced))
})

test('a webhook of a later version of the protocol has the same limit', async () => {
  await using world = await openBacklog(openInMemoryStore, { protocol: 2 })
  const runs = [await world.visit(), await world.visit(), await world.visit()]
  const events = runs.reduce((sum, { nextSequence }) => sum + nextSequence, 0)
  assert.equal((await world.waiting()).length, waitingMax + 1)
  assert.equal((await world.coalesced())?.coalesced?.count, events - waitingMax)
})
