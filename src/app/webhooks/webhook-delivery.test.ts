import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, putChain, startRun, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { WebhookOutcome, WebhookRequest } from '../../ports/webhook-sender.ts'
import type { WebhookEvent } from '../engine.ts'
import { WebhookCircuitBreaker } from './circuit-breaker.ts'
import { createWebhook, removeWebhook } from './subscriptions.ts'
import { deliverWebhook } from './webhook-delivery.ts'

const url = 'https://hooks.example.com/in?token=abc'
const secret = 'a-secret-of-the-receiver'
const { signal } = new AbortController()

/** Words a delivery as the test reads it. */
const toRequest = ({ event, ...delivery }: WebhookEvent) => ({
  headers: { secret: delivery.secret },
  body: JSON.stringify({ ...delivery, type: event.type }),
})

/** A tenant with one webhook and one run that has ended, and a sender that answers as the test says. */
async function openDelivery(draft: object = {}) {
  const sent: WebhookRequest[] = []
  const outcomes: WebhookOutcome[] = []
  const breaker = new WebhookCircuitBreaker()
  const send = async (request: WebhookRequest) => {
    sent.push(request)
    return outcomes.shift() ?? ({ ok: true, status: 200 } as const)
  }
  const vault = { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] }
  const host = { webhooks: { sender: { send }, toRequest, allowPrivate: false, breaker } }
  const world = openUseCases(openInMemoryStore, { vault, host })
  const made = await createWebhook(world.tenant, { url, events: ['*'], secret, ...draft })
  await putChain(world, 'visit', [{ id: 'only', typeId: 'core.noop' }])
  const run = await startRun(world, { workflowId: 'visit', tags: ['gold'] })
  return { ...world, sent, outcomes, breaker, run, webhookId: made.webhook.webhookId }
}

const jobsOf = ({ engine }: UseCaseWorld) =>
  engine.storage.jobs
    .list({ tenantId, status: null, after: null, limit: 100 })
    .then((jobs) => jobs.filter(({ kind }) => kind === 'colophon.webhook'))

test('a delivery sends the event to the stored URL, in the form of the wire', async () => {
  await using world = await openDelivery()
  const { engine, run, webhookId, clock } = world
  const delivery = { webhookId, runId: run.runId, sequence: 0 }
  assert.deepEqual(await deliverWebhook(engine.tenant(tenantId), delivery, signal), {
    delivered: true,
    status: 200,
  })
  const [request] = world.sent
  assert.deepEqual([request?.url, request?.headers.secret], [url, secret])
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    ...{ tenantId, runId: run.runId, webhookId, secret },
    ...{ now: clock.now, type: 'run.started' },
  })
})

test('a delivery whose webhook was removed or whose event was erased sends nothing and completes', async () => {
  await using world = await openDelivery()
  const { engine, run, webhookId } = world
  const delivery = { webhookId, runId: run.runId, sequence: 0 }
  const erased = { ...delivery, sequence: run.nextSequence }
  assert.deepEqual(await deliverWebhook(engine.tenant(tenantId), erased, signal), { delivered: false })
  assert.deepEqual(await deliverWebhook(engine.tenant(tenantId), { ...delivery, runId: 'run_x' }, signal), {
    delivered: false,
  })
  await removeWebhook(engine.tenant(tenantId), webhookId, {})
  assert.deepEqual(await deliverWebhook(engine.tenant(tenantId), delivery, signal), { delivered: false })
  assert.equal(world.sent.length, 0)
})

test('a failed delivery fails its attempt with reason and status, and names neither address nor event', async () => {
  await using world = await openDelivery()
  const { engine, run, webhookId } = world
  const delivery = { webhookId, runId: run.runId, sequence: 0 }
  world.outcomes.push({ ok: false, reason: 'status', status: 503 }, { ok: false, reason: 'dns' })
  const failure = async () => deliverWebhook(engine.tenant(tenantId), delivery, signal).catch((error: unknown) => error)
  for (const details of [{ reason: 'status', status: 503 }, { reason: 'dns' }]) {
    const error = await failure()
    assert.ok(isColophonError(error, 'delivery_failed'))
    assert.deepEqual(error.details, details)
    assert.ok(!`${error.message} ${JSON.stringify(error.details)}`.includes('example.com'))
  }
})

test('deliveries to a failing receiver wait until its circuit breaker closes, those to other receivers start at once', async () => {
  await using world = await openDelivery()
  const { engine, run, webhookId, clock } = world
  const other = await createWebhook(engine.tenant(tenantId), { url, events: ['run.completed'] })
  const delivery = { webhookId, runId: run.runId, sequence: 0 }
  for (let attempt = 0; attempt < limits.webhookFailuresMax; attempt++) {
    world.outcomes.push({ ok: false, reason: 'timeout' })
    await rejectsWith('delivery_failed', deliverWebhook(engine.tenant(tenantId), delivery, signal))
  }
  const known = new Set((await jobsOf(world)).map(({ jobId }) => jobId))
  await startRun(world, { workflowId: 'visit' })
  const added = (await jobsOf(world)).filter(({ jobId }) => !known.has(jobId))
  const dueOf = (id: string) => [
    ...new Set(added.flatMap(({ payload, dueAt }) => ((payload as typeof delivery).webhookId === id ? [dueAt] : []))),
  ]
  assert.deepEqual(dueOf(webhookId), [clock.now + limits.webhookPauseMs])
  assert.deepEqual(dueOf(other.webhook.webhookId), [clock.now])
})

test('a run stores one delivery for each event that a webhook subscribes to, by type and by tag', async () => {
  const delivered = async (draft: object) => {
    await using world = await openDelivery(draft)
    const events = await world.engine.storage.runs.events({ tenantId, runId: world.run.runId, from: 0, limit: 100 })
    const sequences = (await jobsOf(world)).map(({ payload }) => (payload as { sequence: number }).sequence)
    return sequences.sort((a, b) => a - b).map((sequence) => events[sequence]?.type)
  }
  const all = await delivered({})
  assert.deepEqual([all[0], all.at(-1)], ['run.started', 'run.completed'])
  assert.deepEqual(await delivered({ events: ['run.completed'] }), ['run.completed'])
  assert.deepEqual(await delivered({ events: ['run.completed'], tags: ['silver', 'gold'] }), ['run.completed'])
  assert.deepEqual(await delivered({ tags: ['silver'] }), [])
})
