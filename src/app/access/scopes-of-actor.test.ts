import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  continueRun,
  firstKey,
  leaseJob,
  openUseCases,
  putChain,
  tenantId,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { actorOfKey } from '../../core/access/actor.ts'
import { configuredKeys } from '../../core/access/api-key.ts'
import { scopes } from '../../core/access/scopes.ts'
import { putAgent } from '../agents.ts'
import { getCommitment } from '../commitments/find-commitments.ts'
import { fireCommitment } from '../commitments/fire-commitment.ts'
import { createCommitment } from '../commitments/manage-commitments.ts'
import { listHeartbeats } from '../heartbeats/heartbeat-view.ts'
import { createHeartbeat } from '../heartbeats/manage-heartbeats.ts'
import { tickHeartbeat } from '../heartbeats/tick-heartbeat.ts'
import { createRun } from '../runs/create-run.ts'
import { startRunJobKind, startScheduledRun } from '../runs/scheduled-run.ts'
import { createKey, revokeKey } from './keys.ts'
import { rotateKey } from './rotate-key.ts'
import { scopesOfActor } from './scopes-of-actor.ts'

const dayMs = 24 * 60 * 60 * 1_000
const granted = ['runs:create', 'memory:read', 'memory:write'] as const

async function openWithKey() {
  const world = openUseCases(openInMemoryStore)
  const key = await createKey(world.tenant, firstKey, { name: 'k', scopes: granted })
  return { ...world, keyId: key.id, actor: actorOfKey(key.id) }
}

const runs = async ({ engine }: UseCaseWorld) =>
  (await engine.storage.runs.list({ tenantId, status: null, workflowId: 'greet', after: null, limit: 100 })).length

test('an actor has the scopes of its key, of the key that replaced it, or none after the end', async () => {
  await using world = await openWithKey()
  const { tenant, keyId, actor } = world
  assert.deepEqual(await scopesOfActor(tenant, actor), granted)
  assert.deepEqual(await scopesOfActor(tenant, 'schedule:nightly'), scopes)
  assert.deepEqual(await scopesOfActor(tenant, actorOfKey(configuredKeys.bootstrap)), scopes)
  assert.deepEqual(await scopesOfActor(tenant, actorOfKey('key_unknown')), [])
  const next = await rotateKey(tenant, firstKey, keyId, 0)
  assert.deepEqual(await scopesOfActor(tenant, actor), granted)
  await revokeKey(tenant, next.id)
  assert.deepEqual(await scopesOfActor(tenant, actor), [])
  const brief = await createKey(tenant, firstKey, { name: 'b', scopes: granted, expiresAt: '2026-01-02T00:00:00Z' })
  assert.deepEqual(await scopesOfActor(tenant, actorOfKey(brief.id)), granted)
  world.clock.advance(dayMs)
  assert.deepEqual(await scopesOfActor(tenant, actorOfKey(brief.id)), [])
})

test('what a key set up starts no run for it once the key is revoked', async () => {
  await using world = await openWithKey()
  const { tenant, keyId, actor, clock, engine } = world
  await putChain(world, 'greet', [{ id: 'a', typeId: 'core.noop' }])
  const by = { actor }
  const beat = { predicate: 'count', memoryRef: 'inbox', intervalSec: 60, workflowId: 'greet' } as const
  const { view: heartbeat } = await createHeartbeat(tenant, beat, by)
  const due = { memoryRef: 'inbox', intention: 'call Ana', workflowId: 'greet' }
  const { view: waiting } = await createCommitment(
    tenant,
    { ...due, at: new Date(clock.now + 1_000).toISOString() },
    by,
  )
  await revokeKey(tenant, keyId)
  clock.advance(1_000)
  const queued = await engine.storage.jobs.list({ tenantId, status: 'queued', after: null, limit: 100 })
  const leaseOf = async (id: string) =>
    leaseJob(world, queued.find(({ payload }) => JSON.stringify(payload).includes(id))?.jobId ?? '')
  await tickHeartbeat(tenant, heartbeat.id, await leaseOf(heartbeat.id))
  const [ticked] = await listHeartbeats(tenant)
  assert.deepEqual([ticked?.status, ticked?.state], ['error', {}], 'it sees nothing any more')
  await fireCommitment(tenant, waiting.id, await leaseOf(waiting.id))
  const { state, commitment } = await getCommitment(tenant, waiting.id)
  assert.deepEqual([state.status, commitment.startedRunId], ['fired', null])
  const job = { jobId: 'job_s', kind: startRunJobKind, payload: {}, priority: 0, dueAt: null, attemptsMax: 1 }
  await tenant.commit({ kind: 'memory.written', jobs: [job] }, { call: { operation: 'enqueue' } })
  const started = await startScheduledRun(tenant, { workflowId: 'greet', by: actor }, await leaseJob(world, 'job_s'))
  assert.deepEqual(started, { started: false, reason: 'key_ended' })
  assert.equal(await runs(world), 0)
})

test('an agent reads files only for a key that can', async () => {
  await using world = await openWithKey()
  const { tenant, actor } = world
  const agentId = 'local.team.reader'
  await putAgent(tenant, { agentId, persona: 'Reader', modelClass: 'general', systemPrompt: 'Read.' }, {})
  const pinned = async (by: string) => {
    const { run } = await createRun(tenant, { agentId, inputs: { task: 'Which file?' } }, { actor: by })
    return (await continueRun(world, run)).facts.agents?.[agentId]?.lacksFiles
  }
  assert.equal(await pinned(actor), true)
  assert.equal(await pinned(actorOfKey(configuredKeys.bootstrap)), undefined)
})
