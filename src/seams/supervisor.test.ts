import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driveFamily, putLoop } from '../../test/support/loops.ts'
import { openUseCases, putChain, tenantId, type UseCaseWorld } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { createRun } from '../app/runs/create-run.ts'
import { forkRun } from '../app/runs/fork-run.ts'
import { resolveInterrupt } from '../app/runs/resolve-interrupt.ts'
import type { Run } from '../core/run/run.ts'
import { createNodeRegistry } from '../nodes/registry.ts'
import { plannedSupervisor } from './supervisor.ts'

const terminate = { kind: 'terminate' }

async function openWorld(config: Record<string, unknown>): Promise<UseCaseWorld> {
  const world = openUseCases(openInMemoryStore, { host: { nodes: createNodeRegistry(plannedSupervisor) } })
  await putChain(world, 'quiet', [{ id: 'only', typeId: 'core.noop' }])
  await putLoop(world, 'loop', config, {}, { agent: { agentId: 'core.test.lead' } })
  return world
}

const start = async (world: UseCaseWorld, configurable = {}) =>
  driveFamily(world, (await createRun(world.tenant, { workflowId: 'loop', configurable })).run)

const typesOf = async ({ engine }: UseCaseWorld, { runId }: Run) =>
  (await engine.storage.runs.events({ tenantId, runId, from: 0, limit: 100 })).map(({ type }) => type)

const answer = (world: UseCaseWorld, { runId }: Run, nodeId: string, action: string) =>
  resolveInterrupt(world.tenant, { runId, nodeId }, { value: { action }, by: 'key_1' })

test('an agent of low confidence decides nothing before a person ratifies', async () => {
  await using world = await openWorld({ mockConfidence: 0.69, mockPendingDecision: terminate })
  const held = await start(world)
  assert.equal(held.status, 'waiting-approval')
  assert.deepEqual(held.text.interrupts.lead?.request.data, {
    agentId: 'core.test.lead',
    threshold: 0.7,
    observed: 0.69,
    decision: terminate,
  })
  assert.ok(!(await typesOf(world, held)).includes('runOrchestrator.decided'))
  await answer(world, held, 'lead', 'accept')
  const ratified = await driveFamily(world, held)
  assert.equal(ratified.status, 'completed')
  assert.ok((await typesOf(world, ratified)).includes('runOrchestrator.decided'))
  const refused = await start(world)
  await answer(world, refused, 'lead', 'reject')
  assert.equal((await driveFamily(world, refused)).text.error?.code, 'decision_rejected')
})

test('the threshold is that of the run, and equal to it is enough', async () => {
  await using world = await openWorld({ mockConfidence: 0.5, mockPendingDecision: terminate })
  assert.equal((await start(world, { escalationThreshold: 0.5 })).status, 'completed')
  assert.equal((await start(world, { escalationThreshold: 0.51 })).status, 'waiting-approval')
})

test('an escalated decision is executed once it is accepted, and a replay repeats it', async () => {
  const decision = { kind: 'next-worker', nextWorkerIds: ['quiet'], confidence: 0.3 }
  await using world = await openWorld({ mockDispatchPlan: [decision, terminate] })
  const held = await start(world)
  assert.equal(held.status, 'waiting-approval')
  const types = await typesOf(world, held)
  assert.ok(types.indexOf('core.workflowChain.confidence-escalated') < types.indexOf('node.suspended'))
  assert.ok(!types.includes('core.workflowChain.event'))
  await answer(world, held, 'send', 'accept')
  const run = await driveFamily(world, held)
  assert.equal(run.status, 'completed')
  const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.equal(replay.status, 'completed')
  assert.deepEqual(await typesOf(world, replay), await typesOf(world, run))
})
