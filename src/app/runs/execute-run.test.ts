import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { continueRun, leaseJob, openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { ColophonError, type ErrorCode } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { defineNodeType } from '../../nodes/define-node-type.ts'
import { createNodeRegistry } from '../../nodes/registry.ts'
import { createRun } from './create-run.ts'
import { executeRun } from './execute-run.ts'

/** A world in which so many commits of a run under way lose to another writer, each time before a step is stored. */
async function openContended(t: TestContext, lostPerStep: number, code: ErrorCode = 'run_changed') {
  t.mock.method(Math, 'random', () => 0)
  let lost = 0
  let commits = 0
  const world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const commit: typeof storage.commit = async (batch) => {
      if (!batch.runs.some(({ expects }) => expects > 0)) return storage.commit(batch)
      commits += 1
      if (lost++ < lostPerStep) throw new ColophonError(code, 'Another writer came first.')
      lost = 0
      return storage.commit(batch)
    }
    return { ...storage, commit }
  })
  await putChain(world, 'short', [{ id: 'only', typeId: 'core.noop' }])
  return { ...world, commits: () => commits }
}

test('a step that conflicts with another writer is decided again', async (t) => {
  for (const code of ['run_changed', 'version_conflict', 'reads_stale'] satisfies ErrorCode[]) {
    await using world = await openContended(t, 3, code)
    assert.equal((await startRun(world, { workflowId: 'short' })).status, 'completed')
    assert.equal(world.commits(), 4)
  }
})

test('a run whose step conflicts every time fails the attempt of its job after decideAttemptsMax', async (t) => {
  await using world = await openContended(t, Number.POSITIVE_INFINITY, 'version_conflict')
  const { run } = await createRun(world.tenant, { workflowId: 'short' })
  await rejectsWith('write_contention', continueRun(world, run))
  assert.equal(world.commits(), limits.decideAttemptsMax)
  assert.equal((await world.engine.storage.runs.get(tenantId, run.runId))?.status, 'pending')
})

test('a committed step resets the count of attempts', async (t) => {
  await using world = await openContended(t, limits.decideAttemptsMax / 2)
  // Each node makes two events or more, so this run is stored in two steps at least.
  const nodes = Array.from({ length: limits.runStepEventsMax / 2 }, (_, n) => ({ id: `n${n}`, typeId: 'core.noop' }))
  await putChain(world, 'long', nodes)
  assert.equal((await startRun(world, { workflowId: 'long' })).status, 'completed')
  assert.ok(world.commits() > limits.decideAttemptsMax, `${world.commits()} commits`)
})

test('a node that stops because its worker stops does not fail the run: the next worker executes it again', async () => {
  const stop = new AbortController()
  let executions = 0
  const slow = defineNodeType({
    typeId: 'acme.slow',
    description: 'Waits for a service.',
    config: {},
    async execute({ signal, tenantId: owner }) {
      executions += 1
      if (executions === 1) stop.abort()
      signal.throwIfAborted()
      return { kind: 'completed', outputs: { owner } }
    },
  })
  await using world = openUseCases(openInMemoryStore, { host: { nodes: createNodeRegistry(slow) } })
  await putChain(world, 'slow', [{ id: 'only', typeId: 'acme.slow' }])
  const { run } = await createRun(world.tenant, { workflowId: 'slow' })
  const lease = await leaseJob(world, run.facts.jobId)
  await assert.rejects(executeRun(world.tenant, run.runId, { lease, signal: stop.signal }), { name: 'AbortError' })
  assert.equal((await world.engine.storage.runs.get(tenantId, run.runId))?.status, 'pending')
  // The lease of the first worker expires; then the next one leases the job.
  world.clock.now += limits.jobLeaseMs
  const ended = await continueRun(world, run)
  assert.deepEqual([ended.status, ended.text.outputs.only, executions], ['completed', { owner: tenantId }, 2])
})

test('a node that slept may then ask for an interrupt', async () => {
  const reminder = defineNodeType({
    typeId: 'acme.reminder',
    description: 'Waits, then asks.',
    config: {},
    async execute({ state, now }) {
      if (state.wakeAt === undefined) return { kind: 'sleep', until: now + 1_000 }
      const request = { kind: 'custom', key: 'done', data: {} } as const
      return { kind: 'interrupt', request, eventRequest: request }
    },
  })
  await using world = openUseCases(openInMemoryStore, { host: { nodes: createNodeRegistry(reminder) } })
  await putChain(world, 'reminder', [{ id: 'only', typeId: 'acme.reminder' }])
  const { run } = await createRun(world.tenant, { workflowId: 'reminder' })
  await continueRun(world, run)
  world.clock.now += limits.jobLeaseMs
  const waiting = await continueRun(world, run)
  assert.equal(waiting.facts.nodes.only?.status, 'waiting', JSON.stringify(waiting.text.error))
})
