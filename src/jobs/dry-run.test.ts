import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRequest, said } from '../../test/support/add-request.ts'
import {
  leaseJob,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { revise } from '../app/entries/change.ts'
import { put } from '../app/entries/put.ts'
import { add } from '../app/provenance/add.ts'
import { ingest } from '../app/provenance/ingest.ts'
import { createWriter } from '../app/provenance/writers.ts'
import { putRule, writeSettings } from '../app/redaction/rules.ts'
import { dayMs } from '../core/retention.ts'
import { builtInHandlers } from './built-in.ts'
import { enqueue } from './queue.ts'
import { schedulableKinds } from './schedulable-kinds.ts'

const { signal } = new AbortController()

type Result = Readonly<Record<string, unknown>>

/** Runs the handler of a kind, as a worker would. */
async function runJob(world: UseCaseWorld, kind: string, payload: unknown): Promise<Result> {
  const { jobId } = await enqueue(world.tenant, { kind, payload }, {})
  const lease = await leaseJob(world, jobId)
  const handler = builtInHandlers(world.engine)[kind]
  assert.ok(handler !== undefined)
  return (await handler({ tenantId, jobId, kind, payload, attempt: 1, signal, lease, progress() {} })) as Result
}

/** A tenant in which every pass has something to do. */
async function openOld(): Promise<UseCaseWorld> {
  const world = openUseCases(openInMemoryStore)
  const { tenant, clock } = world
  const compaction = { enabled: true, minAgeDays: 1, keepNewest: 0, minEntries: 2, maxInputEntries: 3 }
  await writeSettings(tenant, { historyRetentionDays: 10, extractionPayloadRetentionDays: 2, compaction })
  await createWriter(tenant, { serviceKey: 'crm', authorityRules: { defaultPriority: 80, categories: {} } })
  const source = { service: 'crm', eventId: 'e1' }
  const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
  const { event } = await add(tenant, addRequest(said('Hello.'), { infer: false, source }), caller)
  await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
  await putChain(world, 'short', [{ id: 'a', typeId: 'core.noop' }])
  await startRun(world, { workflowId: 'short' })
  const { id } = await put(tenant, 'log', { content: 'Ada wants tea.' })
  await revise(tenant, 'log', id, { content: 'Ada wants green tea.' })
  for (const content of ['Bob came by.', 'BOB came by!', 'Ticket TCK-123456.', 'Ada left.', 'Bob left.'])
    await put(tenant, 'log', { content })
  const expiresAt = new Date(clock.now + dayMs).toISOString()
  for (const content of ['one', 'two']) await put(tenant, 'short', { content, expiresAt })
  clock.advance(20 * dayMs)
  // Below it the history is cut.
  await put(tenant, 'other', { content: 'Later.' })
  await putRule(tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  return world
}

test('a dry run of each pass stores nothing, and counts what the pass then does', async () => {
  const summaries: Record<string, string> = {}
  for (const kind of schedulableKinds) {
    await using world = await openOld()
    const state = async () => {
      const { storage } = world.engine
      const scanned = await storage.scanVersions({ tenantId, after: null, limit: 100 })
      const records = await storage.audit({ tenantId, from: 1, to: 10_000, limit: 1_000 })
      return { scanned, clock: await storage.clock(tenantId), records }
    }
    const before = await state()
    const planned = await runJob(world, kind, { dryRun: true })
    assert.deepEqual(await state(), before, `${kind} stored something`)
    const done = await runJob(world, kind, { trigger: 'on-demand' })
    const { summary, dryRun, isAtLeast: _isAtLeast, waiting, ...counts } = planned
    assert.equal(dryRun, true)
    for (const [name, value] of Object.entries(counts)) assert.deepEqual(value, done[name], `${kind} ${name}`)
    summaries[kind] = String(summary)
  }
  assert.deepEqual(summaries, {
    'colophon.compaction-pass': 'would compact 6 entries into 2',
    'colophon.consolidation-pass': 'would merge 6 entries into 5, in 1 ref',
    'colophon.re-redact': 'would redact 1 of 12 texts',
    'colophon.payload-retention': 'would delete the messages of 1 source event',
    'colophon.expiry-sweep': 'would end 2 expired entries',
    'colophon.history-retention': 'would delete 1 ended version, 1 run, 2 jobs',
    'colophon.embed': 'would embed nothing',
  })
})

test('a dry run of the history retention stops at the snapshot of an unfinished run, as the pass does', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant, clock } = world
  await writeSettings(tenant, { historyRetentionDays: 1 })
  await putChain(world, 'waiting', [{ id: 'wait', typeId: 'core.delay', config: { delayMs: 20 * dayMs } }])
  await putChain(world, 'short', [{ id: 'a', typeId: 'core.noop' }])
  const { id } = await put(tenant, 'log', { content: 'one' })
  await startRun(world, { workflowId: 'waiting' })
  await startRun(world, { workflowId: 'short' })
  await revise(tenant, 'log', id, { content: 'two' })
  clock.advance(5 * dayMs)
  const planned = await runJob(world, 'colophon.history-retention', { dryRun: true })
  const { idempotencyKeys: _keys, ...done } = await runJob(world, 'colophon.history-retention', null)
  assert.deepEqual([planned.versions, planned.runs], [0, 0])
  assert.deepEqual(planned, { ...done, dryRun: true, summary: planned.summary })
})
