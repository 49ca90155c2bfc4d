import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import {
  continueRun,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { setTenantStatus } from '../access/tenants.ts'
import { cancelRun, pauseRun } from './control.ts'
import { describeRun } from './describe-run.ts'
import { forkRun } from './fork-run.ts'
import { createInterruptToken, readInterrupt, resolveInterrupt, verifyInterruptToken } from './resolve-interrupt.ts'

/** A run that waits for an approval. */
async function openWaiting(config: object = {}) {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'visit', [{ id: 'gate', typeId: 'core.approvalGate', config }])
  const run = await startRun(world, { workflowId: 'visit' })
  assert.equal(run.status, 'waiting-approval')
  return { ...world, run }
}

const answer = ({ tenant }: UseCaseWorld, runId: string, action: string, options = {}, nodeId = 'gate') =>
  resolveInterrupt(tenant, { runId, nodeId }, { value: { action }, by: 'key:k1' }, options)

async function eventsOf({ engine }: UseCaseWorld, runId: string) {
  const events = await engine.storage.runs.events({ tenantId, runId, from: 0, limit: 100 })
  return events.map(({ type }) => type)
}

test('an answer is stored once, with its events, and the run continues with it', async () => {
  await using world = await openWaiting()
  const { runId } = world.run
  const { run } = await answer(world, runId, 'accept')
  assert.equal(run.status, 'running')
  assert.deepEqual((await eventsOf(world, runId)).slice(-3), [
    'interrupt.resolved',
    'approval.received',
    'node.resumed',
  ])
  await rejectsWith('interrupt_already_resolved', answer(world, runId, 'reject'))
  assert.equal((await continueRun(world, run)).status, 'completed')
})

test('a repeat of an answer with its idempotency key is no second answer', async () => {
  await using world = await openWaiting()
  const { runId } = world.run
  const first = await answer(world, runId, 'accept', { idempotencyKey: 'a1' })
  const repeat = await answer(world, runId, 'accept', { idempotencyKey: 'a1' })
  assert.deepEqual([first.repeated, repeat.repeated, repeat.run.runId], [false, true, runId])
  await rejectsWith('idempotency_key_mismatch', answer(world, runId, 'reject', { idempotencyKey: 'a1' }))
  await rejectsWith('interrupt_already_resolved', answer(world, runId, 'accept', { idempotencyKey: 'a2' }))
})

test('a question back is recorded and the run keeps waiting', async () => {
  await using world = await openWaiting({ actions: ['accept', 'ask'] })
  const { runId } = world.run
  const { run } = await answer(world, runId, 'ask')
  assert.deepEqual([run.status, (await eventsOf(world, runId)).at(-1)], ['waiting-approval', 'log.appended'])
  assert.equal((await answer(world, runId, 'accept')).run.status, 'running')
})

test('an answer that does not fit, an unknown node, an ended run and an answer that is too large are refused', async () => {
  await using world = await openWaiting()
  const { runId } = world.run
  await rejectsWith('validation_error', answer(world, runId, 'maybe'))
  await rejectsWith('validation_error', answer(world, runId, 'x'.repeat(limits.resumeValueBytesMax)))
  await rejectsWith('interrupt_not_found', answer(world, runId, 'accept', {}, 'other'))
  await rejectsWith('interrupt_not_found', answer(world, runId, 'accept', {}, 'constructor'))
  await rejectsWith('not_found', answer(world, 'run_unknown', 'accept'))
  await cancelRun(world.tenant, runId, undefined)
  await rejectsWith('interrupt_cancelled', answer(world, runId, 'accept'))
})

test('an answer to a paused run is stored and leaves the run paused', async () => {
  await using world = await openWaiting()
  const { runId } = world.run
  await pauseRun(world.tenant, runId, { drainPolicy: 'immediate' })
  const { run } = await answer(world, runId, 'accept')
  assert.deepEqual([run.status, run.text.interrupts.gate?.resolution?.by], ['paused', 'key:k1'])
})

test('a token is valid for its own interrupt until it expires', async () => {
  await using world = await openWaiting()
  const { engine, run, clock } = world
  const token = (await createInterruptToken(engine.tenant(tenantId), run, 'gate')) ?? ''
  const opened = await verifyInterruptToken(engine, token)
  assert.deepEqual(
    [opened.tenant, opened.runId, opened.nodeId, opened.intent],
    [tenantId, run.runId, 'gate', 'resolve'],
  )
  assert.equal((await readInterrupt(engine.tenant(tenantId), opened)).kind, 'approval')
  clock.advance(limits.interruptTokenMs - 1)
  await verifyInterruptToken(engine, token)
  clock.advance(1)
  await rejectsWith('interrupt_expired', verifyInterruptToken(engine, token))
  await world.tenant.put('notes', { content: 'A record of this instant.' })
  clock.advance(-limits.interruptTokenMs)
  await rejectsWith('interrupt_expired', verifyInterruptToken(engine, token))
})

test('a token expires no later than its interrupt', async () => {
  await using world = await openWaiting({ timeoutMs: 60_000 })
  const token = (await createInterruptToken(world.tenant, world.run, 'gate')) ?? ''
  assert.equal((await verifyInterruptToken(world.engine, token)).expiresAt, world.clock.now + 60_000)
})

test('a token that was changed, truncated, invented or signed by another tenant is not valid', async () => {
  await using world = await openWaiting()
  const { engine, run } = world
  const token = (await createInterruptToken(engine.tenant(tenantId), run, 'gate')) ?? ''
  const [body = '', mac = ''] = token.split('.')
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString())
  const withPayload = (change: object) =>
    `${Buffer.from(JSON.stringify({ ...payload, ...change })).toString('base64url')}.${mac}`
  await engine.contextOf('globex')
  const refused = [
    '',
    body,
    `${body}.`,
    `${token}.more`,
    `${body}.${mac.slice(0, -1)}`,
    withPayload({ nodeId: 'other' }),
    withPayload({ expiresAt: payload.expiresAt + 1 }),
    withPayload({ tenant: 'globex' }),
    withPayload({ tenant: 'unknown' }),
    withPayload({ runId: 7 }),
    `${'x'.repeat(limits.interruptTokenCharactersMax)}.${mac}`,
  ]
  for (const other of refused) await rejectsWith('interrupt_not_found', verifyInterruptToken(engine, other))
  await setTenantStatus(engine, tenantId, 'disabled')
  await rejectsWith('interrupt_not_found', verifyInterruptToken(engine, token))
})

test('an answered interrupt, or one of an ended run, has no token', async () => {
  await using world = await openWaiting()
  const { engine, run } = world
  assert.equal(await createInterruptToken(engine.tenant(tenantId), run, 'other'), null)
  const { run: answered } = await answer(world, run.runId, 'accept')
  assert.equal(await createInterruptToken(engine.tenant(tenantId), answered, 'gate'), null)
  assert.equal(await createInterruptToken(engine.tenant(tenantId), { ...run, status: 'cancelled' }, 'gate'), null)
})

test('a run shows the token of its interrupt only to a caller that may answer it', async () => {
  await using world = await openWaiting()
  const { engine, run } = world
  const [shown, hidden] = [true, false].map((withTokens) => describeRun(world.tenant, run, { withTokens }))
  assert.equal((await verifyInterruptToken(engine, (await shown)?.question?.token ?? '')).runId, run.runId)
  const { currentNodeId, question } = (await hidden) ?? {}
  assert.deepEqual([currentNodeId, question?.request.kind, question?.token], ['gate', 'approval', null])
})

test('a replay refuses answers of its own, because it repeats those of its source', async () => {
  await using world = await openWaiting()
  const { engine } = world
  const { run: answered } = await answer(world, world.run.runId, 'accept')
  const source = await continueRun(world, answered)
  const { run: replay } = await forkRun(engine.tenant(tenantId), source.runId, {
    mode: 'replay',
    fromSeq: source.nextSequence,
  })
  assert.ok(replay.text.interrupts.gate)
  await rejectsWith('interrupt_already_resolved', answer(world, replay.runId, 'reject'))
})

test('an approval with named approvers refuses an answer without an API key', async () => {
  for (const config of [{ approversList: ['k1'] }, { requiredApprovals: 2 }]) {
    await using world = await openWaiting(config)
    const { tenant, run } = world
    assert.equal(await createInterruptToken(tenant, run, 'gate'), null)
    const place = { runId: run.runId, nodeId: 'gate' }
    await rejectsWith('forbidden', resolveInterrupt(tenant, place, { value: { action: 'accept' }, by: null }))
    assert.equal((await describeRun(tenant, run, { withTokens: true })).run.status, 'waiting-approval')
  }
})
