import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRequest } from '../../../test/support/add-request.ts'
import { newSigner } from '../../../test/support/signer.ts'
import {
  firstKey,
  leaseJob,
  openUseCases,
  putChain,
  startRun,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { TenantState } from '../../adapters/in-memory/tenant-state.ts'
import type { ForgetDraft } from '../../core/forget/selector.ts'
import { fencesOf } from '../../core/forget/selector.ts'
import { saveSchedule } from '../../jobs/manage-schedules.ts'
import { createKey } from '../access/keys.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { add } from '../provenance/add.ts'
import { ingest } from '../provenance/ingest.ts'
import { currentWorkflow, readWorkflow } from '../runs/workflow-registry.ts'
import { countNames } from './erase-names.ts'
import { runForget } from './forget-job.ts'
import { ForgetProcess } from './forget-process.ts'
import { getForget } from './forget-record.ts'
import { forget } from './start-forget.ts'

const { signal } = new AbortController()
const none = { runs: 0, records: 0, schedules: 0, readers: 0, jobs: 0, spellings: 0 }

async function left({ tenant }: UseCaseWorld) {
  const position = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const fences = fencesOf({ kind: 'subject', value: 'ada' }).map((fence) => ({ ...fence, position }))
  return countNames(new ForgetProcess(tenant, { fences, cascade: true, record: null }))
}

const reads = { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'subject:ada', into: 'found' } }

test('the check of a forget finds names in runs, records, readers and schedules, and none after it', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
  const { tenant } = world
  assert.deepEqual(await left(world), none)
  await putChain(world, 'reads', [reads])
  await startRun(world, { workflowId: 'reads', inputs: { user: 'ada' } })
  await put(tenant, 'notes', { content: 'A plan.', readers: ['ada'] })
  assert.deepEqual(await left(world), { ...none, runs: 1, records: 1, readers: 1 })
  const answer = await forget(tenant, { subject: 'ada', reason: 'asked for' })
  assert.ok(!answer.dryRun)
  await runForget(tenant, answer.id, await leaseJob(world, answer.jobId), signal)
  const { receipt } = await getForget(tenant, answer.id)
  assert.deepEqual({ ...receipt?.left, ...none }, receipt?.left, 'it looked at every layer')
  assert.deepEqual([receipt?.erased.runs, receipt?.erased.records, receipt?.erased.readers], [1, 1, 1])
  assert.deepEqual(await left(world), none)
})

test('a workflow that lost a name is a new version when its document is stored again, and shows null for what it lost', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
  const { tenant } = world
  await putChain(world, 'reads', [reads])
  const answer = await forget(tenant, { subject: 'ada', reason: 'asked for' })
  assert.ok(!answer.dryRun)
  await runForget(tenant, answer.id, await leaseJob(world, answer.jobId), signal)
  assert.equal((await readWorkflow(tenant, 'reads'))?.nodes[0]?.config.memoryRef, null)
  await putChain(world, 'reads', [reads])
  const stored = await currentWorkflow(tenant, 'reads')
  assert.deepEqual([stored?.version, stored?.definition.nodes[0]?.config.memoryRef], [2, 'subject:ada'])
  await putChain(world, 'reads', [reads])
  assert.equal((await currentWorkflow(tenant, 'reads'))?.version, 2)
})

async function forgetNow(world: UseCaseWorld, draft: ForgetDraft) {
  const counted = await forget(world.tenant, { ...draft, dryRun: true })
  const answer = await forget(world.tenant, draft)
  assert.ok(counted.dryRun && !answer.dryRun)
  await runForget(world.tenant, answer.id, await leaseJob(world, answer.jobId), signal)
  const { receipt } = await getForget(world.tenant, answer.id)
  assert.deepEqual(receipt?.erased, counted.counts)
  return counted
}

const daily = { cron: '0 3 * * *' }

test('a name that is also a word of the host or of a workflow is no trace of a person there, and the forget completes', async () => {
  for (const subject of ['user', 'inputs', 'error', 'payload', 'kind', 'only', 'daily']) {
    await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
    const { tenant } = world
    await putChain(world, 'daily-report', [{ id: 'only', typeId: 'core.noop' }])
    const { runId } = await startRun(world, { workflowId: 'daily-report', inputs: { user: 'bob' } })
    await saveSchedule(tenant, { id: 'other', ...daily, workflowId: 'daily-report', inputs: { user: 'bob' } }, {})
    const counted = await forgetNow(world, { subject, reason: 'asked for' })
    assert.deepEqual([counted.counts.runs, counted.counts.schedules, counted.counts.jobs], [0, 0, 0], subject)
    assert.deepEqual((await tenant.storage.runs.get(tenant.id, runId))?.text.inputs, { user: 'bob' })
    assert.equal((await tenant.storage.jobs.schedules(tenant.id)).length, 1)
  }
})

test('another person whose id has the name as a part keeps memories, schedules and workflows', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
  const { tenant } = world
  const memoryRef = 'subject:ada@example.org'
  const messages = [{ role: 'user' as const, content: 'Likes tea.' }]
  const request = addRequest(messages, { infer: false, subject: 'ada@example.org' })
  const { event } = await add(tenant, request, { actor: 'key:k', keyId: 'k', requestId: 'req_1' })
  await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
  await put(tenant, 'team/ada', { content: 'Likes gin.' })
  await putChain(world, 'reads', [{ ...reads, config: { ...reads.config, memoryRef } }])
  await saveSchedule(tenant, { id: 'others', ...daily, workflowId: 'reads', inputs: { of: memoryRef } }, {})
  await saveSchedule(tenant, { id: 'own', ...daily, workflowId: 'reads', inputs: { of: ['ada'] } }, {})
  const { mentions, counts } = await forgetNow(world, { subject: 'ada', reason: 'asked for', mentions: 'erase' })
  assert.deepEqual([mentions?.entries.map((entry) => entry.memoryRef), counts.schedules], [['team/ada'], 1])
  assert.equal((await list(tenant, memoryRef)).entries.length, 1)
  assert.equal((await readWorkflow(tenant, 'reads'))?.nodes[0]?.config.memoryRef, memoryRef)
  const schedules = (await tenant.storage.jobs.schedules(tenant.id)).map(({ scheduleId }) => scheduleId)
  assert.deepEqual([schedules.includes('others'), schedules.includes('own')], [true, false])
})

test('a forget of a ref that a client chose leaves workflows, schedules and keys that use the same word', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
  const { tenant } = world
  await put(tenant, 'inbox', { content: 'A note.' })
  const config = { memoryRef: 'inbox', content: 'Another note.' }
  await putChain(world, 'writes', [{ id: 'write', typeId: 'colophon.memory.put', config }])
  await saveSchedule(tenant, { id: 'writing', ...daily, workflowId: 'writes', inputs: { to: 'inbox' } }, {})
  const { id } = await createKey(tenant, firstKey, { name: 'inbox', scopes: ['memory:read'] })
  const { counts } = await forgetNow(world, { memoryRef: 'inbox', reason: 'asked for' })
  assert.deepEqual([counts.entries, counts.records, counts.schedules], [1, 0, 0])
  assert.equal((await startRun(world, { workflowId: 'writes' })).status, 'completed')
  assert.equal((await list(tenant, 'inbox')).entries.length, 1)
  assert.equal((await tenant.storage.record(tenant.id, 'key', id))?.body.text.name, 'inbox')
})

test('a server that has a workflow in memory reads it again once another server erased a name in it', async () => {
  const tenants = new Map<string, TenantState>()
  const open = (options: { now: () => number }) => openInMemoryStore({ ...options, tenants })
  await using one = openUseCases(open, { host: { signer: newSigner() } })
  await using other = openUseCases(open)
  await putChain(one, 'writes', [
    { id: 'write', typeId: 'colophon.memory.put', config: { memoryRef: 'people', content: 'x', tags: ['ada'] } },
  ])
  // The ids of both count up from 1.
  for (let used = 0; used < 100; used++) other.tenant.system.newId('job')
  assert.equal((await startRun(other, { workflowId: 'writes' })).status, 'completed')
  const answer = await forget(one.tenant, { subject: 'ada', reason: 'asked for' })
  assert.ok(!answer.dryRun)
  await runForget(one.tenant, answer.id, await leaseJob(one, answer.jobId), signal)
  const run = await startRun(other, { workflowId: 'writes' })
  assert.deepEqual([run.status, run.text.error?.code], ['failed', 'content_erased'])
})

test('a key and a schedule that are made for the person after the request stay', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
  const { tenant, clock } = world
  await putChain(world, 'noop', [{ id: 'only', typeId: 'core.noop' }])
  const give = async (id: string) => {
    await saveSchedule(tenant, { id, ...daily, workflowId: 'noop', inputs: { user: 'ada' } }, {})
    return (await createKey(tenant, firstKey, { name: 'Laptop', scopes: ['memory:read'], reader: 'ada' })).id
  }
  const before = await give('before')
  const answer = await forget(tenant, { subject: 'ada', reason: 'asked for' })
  assert.ok(!answer.dryRun)
  clock.advance(1_000)
  const since = await give('since')
  await runForget(tenant, answer.id, await leaseJob(world, answer.jobId), signal)
  const readerOf = async (id: string) => (await tenant.storage.record(tenant.id, 'key', id))?.body.facts?.reader
  assert.deepEqual([(await readerOf(before)) === 'ada', await readerOf(since)], [false, 'ada'])
  const schedules = (await tenant.storage.jobs.schedules(tenant.id)).map(({ scheduleId }) => scheduleId)
  assert.deepEqual([schedules.includes('before'), schedules.includes('since')], [false, true])
})
