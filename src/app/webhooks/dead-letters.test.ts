import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { dayMs } from '../../core/retention.ts'
import { writeSettings } from '../redaction/rules.ts'
import { pruneHistory } from '../retention/prune-history.ts'
import { deadLettersOf } from './dead-letters.ts'
import { createWebhook, removeWebhook } from './subscriptions.ts'

const pass = { signal: new AbortController().signal }

/** A run whose deliveries to two webhooks have all failed. */
async function openDead() {
  const vault = { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] }
  const world = openUseCases(openInMemoryStore, { vault })
  const url = 'https://hooks.example.com/'
  const { webhook } = await createWebhook(world.tenant, { url, events: ['*'], protocol: 2 })
  await createWebhook(world.tenant, { url, events: ['*'] })
  await putChain(world, 'visit', [{ id: 'only', typeId: 'core.noop' }])
  const run = await startRun(world, { workflowId: 'visit' })
  const { jobs } = world.engine.storage
  for (const { jobId, kind } of await jobs.list({ tenantId, status: null, after: null, limit: 100 })) {
    if (kind !== 'colophon.webhook') continue
    const failed = {
      status: 'dead',
      attempts: 8,
      error: { code: 'delivery_failed', message: 'No.', status: 502 },
    } as const
    await jobs.update(tenantId, jobId, (job) => ({ ...job, ...failed, endedAt: world.clock.now }))
  }
  return { ...world, run, webhookId: webhook.webhookId }
}

test('the dead letters of one webhook are listed page by page, without content', async () => {
  await using world = await openDead()
  const { tenant, webhookId, run } = world
  const all = (await deadLettersOf(tenant, webhookId, {})).deliveries
  assert.equal(all.length, run.nextSequence)
  assert.deepEqual(new Set(all.map(({ sequence }) => sequence)).size, run.nextSequence)
  const [letter] = all
  assert.deepEqual([letter?.runId, letter?.attempts, letter?.status, letter?.at], [run.runId, 8, 502, world.clock.now])
  const paged: string[] = []
  let cursor: string | undefined
  do {
    const page = await deadLettersOf(tenant, webhookId, { limit: 2, cursor })
    paged.push(...page.deliveries.map(({ jobId }) => jobId))
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
  assert.deepEqual(
    paged,
    all.map(({ jobId }) => jobId),
  )
})

test('a cursor belongs to one webhook, and a removed webhook has no dead letters', async () => {
  await using world = await openDead()
  const { tenant, webhookId } = world
  await rejectsWith('validation_error', deadLettersOf(tenant, webhookId, { cursor: 'wh_other.job_1' }))
  await removeWebhook(tenant, webhookId, {})
  await rejectsWith('subscription_not_found', deadLettersOf(tenant, webhookId, {}))
})

test('dead letters are kept for as long as discovery says, also if the tenant keeps less history', async () => {
  await using world = await openDead()
  const { tenant, webhookId, clock, run } = world
  await writeSettings(tenant, { historyRetentionDays: 1 })
  clock.advance(limits.deadLetterDays * dayMs - 1)
  const { jobs, runs } = await pruneHistory(tenant, pass)
  assert.deepEqual([runs, jobs], [1, 1], 'the run and its own job are gone')
  const { deliveries } = await deadLettersOf(tenant, webhookId, {})
  assert.deepEqual(deliveries.map(({ type }) => type).sort(), [
    'memory.written',
    'node.completed',
    'node.started',
    'run.completed',
    'run.started',
  ])
  assert.equal(deliveries.length, run.nextSequence)
  clock.advance(2)
  assert.deepEqual((await deadLettersOf(tenant, webhookId, {})).deliveries, [])
  assert.equal((await pruneHistory(tenant, pass)).jobs, 2 * run.nextSequence)
})
