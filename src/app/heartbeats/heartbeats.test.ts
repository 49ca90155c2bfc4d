import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { leaseJob, openUseCases, putChain, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import type { ClaimRecord } from '../../core/provenance/claim.ts'
import { auditRowsBetween, heartbeatChangesOf } from '../changes/change-stream.ts'
import { put } from '../entries/put.ts'
import { Tenant } from '../tenant.ts'
import { listHeartbeats } from './heartbeat-view.ts'
import {
  createHeartbeat,
  editHeartbeat,
  type HeartbeatDraft,
  pauseHeartbeat,
  removeHeartbeat,
  resumeHeartbeat,
} from './manage-heartbeats.ts'
import { observeWithin } from './observe.ts'
import { heartbeatJobKind, tickHeartbeat } from './tick-heartbeat.ts'

const minuteMs = 60_000
const counted: HeartbeatDraft = { predicate: 'count', memoryRef: 'inbox', intervalSec: 1 }

/** Runs each job of a heartbeat that is due, as a worker would. Gives how many there were. */
async function work(world: UseCaseWorld): Promise<number> {
  const { jobs } = world.engine.storage
  const all = await jobs.list({ tenantId, status: 'queued', after: null, limit: 100 })
  const due = all.filter(({ kind, dueAt }) => kind === heartbeatJobKind && dueAt <= world.clock.now)
  for (const { jobId, payload } of due) {
    const lease = await leaseJob(world, jobId)
    await tickHeartbeat(world.tenant, (payload as { heartbeatId: string }).heartbeatId, lease)
    if (!lease.spent)
      await world.tenant.commit({ kind: 'memory.written' }, { completes: lease, call: { operation: 'done' } })
  }
  return due.length
}

async function events(world: UseCaseWorld, reader: string | null = null): Promise<unknown[]> {
  const found: unknown[] = []
  const { position } = await world.tenant.auditHead()
  for await (const row of auditRowsBetween(world.tenant, 0, position))
    for (const { kind, payload } of await heartbeatChangesOf(world.tenant.withReader(reader), row))
      if (kind === 'heartbeat.stateChanged') found.push([payload.from, payload.to])
      else found.push(`${payload.status}${payload.changed ? ' changed' : ''}`)
  return found
}

const runsOf = ({ engine }: UseCaseWorld) =>
  engine.storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 100 })

test('the first tick is a change, a tick without one has one event, and each change starts one run', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(world, 'triage', [{ id: 'a', typeId: 'core.noop' }])
  const { view } = await createHeartbeat(world.tenant, { ...counted, workflowId: 'triage' }, {})
  assert.equal(view.intervalSec, limits.heartbeatIntervalSecMin)
  assert.equal(await work(world), 1)
  assert.equal(await work(world), 0, 'one tick per instant')
  assert.deepEqual(await events(world), ['ok changed', [{}, { count: 0 }]])
  world.clock.advance(minuteMs)
  assert.equal(await work(world), 1)
  assert.deepEqual((await events(world)).slice(2), ['ok'])
  const [{ runId } = { runId: '' }] = await runsOf(world)
  const run = await world.engine.storage.runs.get(tenantId, runId)
  assert.deepEqual(run?.text.inputs, { heartbeatId: view.id, from: {}, to: { count: 0 } })
  assert.equal((await runsOf(world)).length, 1)
  // The first run has not ended, so the next change is recorded without one.
  await put(world.tenant, 'inbox', { content: 'a letter' })
  world.clock.advance(minuteMs)
  await work(world)
  assert.deepEqual((await events(world)).slice(3), ['ok changed', [{ count: 0 }, { count: 1 }]])
  assert.equal((await runsOf(world)).length, 1)
  const [listed] = await listHeartbeats(world.tenant)
  assert.deepEqual([listed?.state, listed?.status, listed?.runId], [{ count: 1 }, 'ok', runId])
  assert.equal((await world.tenant.verify({ contents: true })).ok, true)
})

test('ticks that passed are skipped, and a removed heartbeat ends', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { view } = await createHeartbeat(world.tenant, counted, {})
  await work(world)
  world.clock.advance(5.5 * minuteMs)
  assert.equal(await work(world), 1)
  assert.equal(await work(world), 0)
  assert.equal((await events(world)).length, 3, 'one evaluation for five instants')
  const [listed] = await listHeartbeats(world.tenant)
  assert.equal(Date.parse(listed?.nextTickAt ?? ''), world.clock.now + 0.5 * minuteMs)
  assert.deepEqual(await removeHeartbeat(world.tenant, view.id, {}), { deleted: true, repeated: false })
  assert.equal(await work(world), 1, 'its job is woken')
  world.clock.advance(minuteMs)
  assert.equal(await work(world), 0, 'and has ended')
  assert.equal((await events(world)).length, 3)
  assert.equal((await removeHeartbeat(world.tenant, view.id, {})).deleted, false)
})

test('a paused heartbeat does nothing, keeps its state, and is resumed with a tick at once', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const { id } = (await createHeartbeat(tenant, counted, {})).view
  await work(world)
  const ticking = (await listHeartbeats(tenant))[0]
  assert.deepEqual(
    [ticking?.isPaused, ticking?.lastTickAt, ticking?.nextTickAt],
    [false, '2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'],
  )
  const key = { idempotencyKey: 'pause' }
  const paused = await pauseHeartbeat(tenant, id, key)
  assert.deepEqual([paused.view.isPaused, paused.view.nextTickAt, paused.repeated], [true, undefined, false])
  assert.equal((await pauseHeartbeat(tenant, id, key)).repeated, true)
  assert.equal(await work(world), 1, 'its job is woken, and ends')
  await put(tenant, 'inbox', { content: 'a letter' })
  world.clock.advance(5 * minuteMs)
  assert.equal(await work(world), 0)
  await resumeHeartbeat(tenant, id, {})
  await resumeHeartbeat(tenant, id, {})
  assert.equal(await work(world), 1, 'one job, however often it is resumed')
  assert.deepEqual(await events(world), ['ok changed', [{}, { count: 0 }], 'ok changed', [{ count: 0 }, { count: 1 }]])
  await rejectsWith('not_found', pauseHeartbeat(tenant.withReader('ana'), id, {}))
})

test('an edited heartbeat has its new interval and acts for who edited it; the job before it ends', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  await putChain(world, 'triage', [{ id: 'a', typeId: 'core.noop' }])
  const { id } = (await createHeartbeat(tenant, counted, { actor: 'first' })).view
  await work(world)
  const change = { intervalSec: 3_600, workflowId: 'triage' }
  const { view } = await editHeartbeat(tenant, id, change, { actor: 'second' })
  assert.deepEqual([view.intervalSec, view.workflowId, view.state], [3_600, 'triage', { count: 0 }])
  assert.equal(await work(world), 2, 'a tick, and the end of the job before')
  await put(tenant, 'inbox', { content: 'a letter' })
  world.clock.advance(60 * minuteMs)
  assert.equal(await work(world), 1)
  const [started] = await runsOf(world)
  const run = await world.engine.storage.runs.get(tenantId, started?.runId ?? '')
  assert.equal(run?.facts.actor, 'second')
  assert.equal((await editHeartbeat(tenant, id, { workflowId: null }, {})).view.workflowId, undefined)
  await rejectsWith('validation_error', editHeartbeat(tenant, id, {}, {}))
  await rejectsWith('validation_error', editHeartbeat(tenant, id, { workflowId: 'unknown' }, {}))
  await rejectsWith('not_found', editHeartbeat(tenant, 'hbt_none', { intervalSec: 60 }, {}))
})

test('a claim is observed by the position of its winner, as far as the reader sees it', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const claimId = 'clm_1'
  await createHeartbeat(tenant, { predicate: 'claim', claimId, intervalSec: 60 }, {})
  await work(world)
  const stored = await put(tenant, 'inbox', { content: 'Ada lives in Rome.' })
  const found = (winner: string | null) => ({ claim: async () => ({ winner }) as ClaimRecord })
  const withWinner = (winner: string | null) => {
    const provenance = { ...tenant.storage.provenance, ...found(winner) }
    return { ...world, tenant: new Tenant({ ...world.engine, storage: { ...tenant.storage, provenance } }, tenantId) }
  }
  for (const winner of [stored.id, stored.id, null]) {
    world.clock.advance(minuteMs)
    await work(withWinner(winner))
  }
  const changes = (await events(world)).filter(Array.isArray)
  const position = changes[1]?.[1].position
  assert.ok(position > 0)
  assert.deepEqual(changes, [
    [{}, { position: 0 }],
    [{ position: 0 }, { position }],
    [{ position }, { position: 0 }],
  ])
})

test('a heartbeat of a reader sees what the reader sees, and only the reader sees it', async () => {
  await using world = openUseCases(openInMemoryStore)
  const ana = world.tenant.withReader('ana')
  const ben = world.tenant.withReader('ben')
  const { view } = await createHeartbeat(ana, counted, {})
  await put(world.tenant, 'inbox', { content: 'for Ana', readers: ['ana'] })
  await put(world.tenant, 'inbox', { content: 'for Ben', readers: ['ben'] })
  await put(world.tenant, 'inbox', { content: 'from the web', trust: 'untrusted' })
  await work(world)
  assert.deepEqual(await events(world, 'ana'), ['ok changed', [{}, { count: 1 }]])
  assert.deepEqual(await events(world, 'ben'), [])
  assert.deepEqual([(await listHeartbeats(ana)).length, await listHeartbeats(ben)], [1, []])
  assert.equal((await removeHeartbeat(ben, view.id, {})).deleted, false)
  await rejectsWith('reader_forbidden', createHeartbeat(ben, { predicate: 'backlog', intervalSec: 60 }, {}))
})

test('the newest position follows a revision of an old entry, and the backlog counts jobs that are due', async () => {
  await using world = openUseCases(openInMemoryStore)
  const old = await put(world.tenant, 'inbox', { content: 'old', tags: ['mail'] })
  await put(world.tenant, 'inbox', { content: 'new' })
  await createHeartbeat(world.tenant, { ...counted, predicate: 'position', tag: 'mail' }, {})
  await work(world)
  await world.tenant.revise('inbox', old.id, { content: 'revised', tags: ['mail'] })
  world.clock.advance(minuteMs)
  await work(world)
  const changes = (await events(world)).filter(Array.isArray)
  assert.deepEqual(changes[0], [{}, { position: 1 }])
  assert.ok(changes[1]?.[1].position > 1)
  await createHeartbeat(world.tenant, { predicate: 'backlog', intervalSec: 60 }, {})
  const job = { jobId: 'job_1', kind: 'mail', payload: null, priority: 0, dueAt: null, attemptsMax: 1 }
  await world.tenant.commit({ kind: 'memory.written', jobs: [job] }, { call: { operation: 'test' } })
  await work(world)
  assert.deepEqual((await events(world)).at(-1), [{}, { backlog: 1 }])
})

test('an observation that takes too long is ended, and one that fails is an error', async () => {
  let isStopped = false
  const forever = (signal: AbortSignal) =>
    new Promise<never>(() => signal.addEventListener('abort', () => (isStopped = true)))
  assert.deepEqual(await observeWithin(1, forever), { status: 'timeout', state: null })
  assert.ok(isStopped)
  const failing = () => Promise.reject(new Error('no'))
  assert.deepEqual(await observeWithin(10_000, failing), { status: 'error', state: null })
})

test('what cannot be observed is refused with its field', async () => {
  await using world = openUseCases(openInMemoryStore)
  const refused = (draft: Partial<HeartbeatDraft>) =>
    rejectsWith('validation_error', createHeartbeat(world.tenant, { ...counted, ...draft }, {}))
  await refused({ memoryRef: undefined })
  await refused({ memoryRef: 'workspace:default' })
  await refused({ memoryRef: 'scratch:run_1:agent' })
  await refused({ predicate: 'backlog' })
  await refused({ predicate: 'claim' })
  await refused({ claimId: 'clm_1' })
  await refused({ workflowId: 'unknown' })
  for (let n = 0; n < limits.heartbeatsPerTenantMax; n++) await createHeartbeat(world.tenant, counted, {})
  await refused({})
})
