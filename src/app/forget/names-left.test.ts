import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSigner } from '../../../test/support/signer.ts'
import { leaseJob, openUseCases, putChain, startRun, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { fencesOf } from '../../core/forget/selector.ts'
import { put } from '../entries/put.ts'
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
