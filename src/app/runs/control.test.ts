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
import { list } from '../entries/read.ts'
import { cancelRun, failRunOfDeadLetter, getRun, pauseRun, resumeRun } from './control.ts'
import { createRun } from './create-run.ts'
import { viewOfRun } from './run-snapshot.ts'

const delay = { id: 'wait', typeId: 'core.delay', config: { delayMs: 60_000 } }
const child = { id: 'inner', typeId: 'core.subWorkflow', config: { workflowId: 'waiting' } }

async function openRuns() {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'waiting', [delay])
  await putChain(world, 'done', [{ id: 'only', typeId: 'core.noop' }])
  return world
}

const eventsOf = async ({ engine }: UseCaseWorld, runId: string) =>
  (await engine.storage.runs.events({ tenantId, runId, from: 0, limit: 100 })).map(({ type }) => type)

test('a run is cancelled once; a run that has ended does not change', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  const { run } = await cancelRun(world.tenant, runId, 'no longer needed', { actor: 'bob' })
  assert.deepEqual([run.status, run.endedAt], ['cancelled', world.clock.now])
  const again = await cancelRun(world.tenant, runId, undefined)
  assert.deepEqual([again.run.revision, again.repeated], [run.revision, false])
  const ended = await startRun(world, { workflowId: 'done' })
  assert.equal((await cancelRun(world.tenant, ended.runId, undefined)).run.status, 'completed')
})

test('a cancelled run cancels its child runs in the same commit', async () => {
  await using world = await openRuns()
  await putChain(world, 'outer', [child])
  const parent = await startRun(world, { workflowId: 'outer' })
  const childRunId = parent.facts.nodes.inner?.childRunId ?? ''
  assert.equal((await getRun(world.tenant, childRunId)).status, 'pending')
  await cancelRun(world.tenant, parent.runId, 'stop')
  const inner = await getRun(world.tenant, childRunId)
  assert.deepEqual([inner.status, inner.endedAt], ['cancelled', world.clock.now])
  assert.equal((await eventsOf(world, childRunId)).at(-1), 'run.cancelled')
})

test('a run whose job is a dead letter fails with engine_gave_up', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  await failRunOfDeadLetter(world.tenant, runId)
  const run = await getRun(world.tenant, runId)
  assert.deepEqual([run.status, run.text.error?.code], ['failed', 'engine_gave_up'])
  await failRunOfDeadLetter(world.tenant, runId)
  assert.equal((await getRun(world.tenant, runId)).revision, run.revision)
})

test('a change that loses a race against the engine is decided again on the newer run', async () => {
  let race = async () => {}
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    return {
      ...storage,
      async commit(batch) {
        await race()
        return storage.commit(batch)
      },
    }
  })
  await putChain(world, 'waiting', [delay])
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  race = async () => {
    race = async () => {}
    await pauseRun(world.tenant, runId, { drainPolicy: 'immediate' })
  }
  const { run } = await cancelRun(world.tenant, runId, undefined)
  assert.equal(run.status, 'cancelled')
  const events = (await eventsOf(world, runId)).filter((type) => type.startsWith('run.'))
  assert.deepEqual(events, ['run.started', 'run.paused', 'run.cancelled'])
})

test('an immediate pause takes effect at once, and the node starts again after the resume', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  const request = { drainPolicy: 'immediate', reason: 'lunch' } as const
  const { run: paused } = await pauseRun(world.tenant, runId, request, { actor: 'bob' })
  assert.deepEqual(
    [paused.status, paused.facts.pause?.at, paused.facts.pause?.by, paused.text.pauseReason, paused.facts.nodes],
    ['paused', world.clock.now, 'bob', 'lunch', {}],
  )
  await rejectsWith('run_state', pauseRun(world.tenant, runId, {}))
  const { run: resumed } = await resumeRun(world.tenant, runId, {})
  assert.deepEqual([resumed.facts.pause, resumed.text.pauseReason], [null, null])
  assert.notEqual(resumed.status, 'paused')
  assert.equal((await eventsOf(world, runId)).at(-1), 'run.resumed')
})

test('a pause with drain-current-node does not take effect while the node waits, and leaves no event when it is resumed before', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  const { run } = await pauseRun(world.tenant, runId, {})
  assert.deepEqual([run.facts.pause?.at, run.facts.pause?.drainPolicy], [null, 'drain-current-node'])
  assert.notEqual(run.status, 'paused')
  const before = await eventsOf(world, runId)
  await resumeRun(world.tenant, runId, {})
  assert.deepEqual(await eventsOf(world, runId), before)
})

test('a run that was paused before it started is pending again after the resume', async () => {
  await using world = await openRuns()
  const { run } = await createRun(world.tenant, { workflowId: 'waiting' })
  await pauseRun(world.tenant, run.runId, { drainPolicy: 'immediate' })
  assert.equal((await resumeRun(world.tenant, run.runId, {})).run.status, 'pending')
})

test('a run that has ended cannot be paused or resumed, and a run that is not paused cannot be resumed', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'done' })
  await rejectsWith('run_state', pauseRun(world.tenant, runId, {}))
  await rejectsWith('run_state', resumeRun(world.tenant, runId, {}))
  const waiting = await startRun(world, { workflowId: 'waiting' })
  await rejectsWith('run_state', resumeRun(world.tenant, waiting.runId, {}))
})

test('a repeated call with a known idempotency key gets the first response, although the change would be refused now', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  const options = { idempotencyKey: 'p1' }
  const first = await pauseRun(world.tenant, runId, { drainPolicy: 'immediate' }, options)
  const repeat = await pauseRun(world.tenant, runId, { drainPolicy: 'immediate' }, options)
  assert.deepEqual([first.repeated, repeat.repeated], [false, true])
  const other = { idempotencyKey: 'p2' }
  await rejectsWith('run_state', pauseRun(world.tenant, runId, { drainPolicy: 'immediate' }, other))
  const ended = await startRun(world, { workflowId: 'done' })
  const cancelled = await cancelRun(world.tenant, ended.runId, undefined, { idempotencyKey: 'c1' })
  assert.deepEqual([cancelled.run.status, cancelled.repeated], ['completed', false])
})

test('a refusal is returned only when the idempotency key is still unknown after the decision', async () => {
  let afterRead = async () => {}
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const get: typeof storage.runs.get = async (...args) => {
      const run = await storage.runs.get(...args)
      await afterRead()
      return run
    }
    return { ...storage, runs: { ...storage.runs, get } }
  })
  await putChain(world, 'waiting', [delay])
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  const pause = (options = {}) => pauseRun(world.tenant, runId, { drainPolicy: 'immediate' }, options)
  await pause({ actor: 'another client' })
  const key = { idempotencyKey: 'p1' }
  const { position } = await world.tenant.snapshot()
  await rejectsWith('run_state', pause(key))
  assert.equal((await world.tenant.snapshot()).position, position, 'a refused call stores nothing')
  // The first call with the key lands after the second one has read the run.
  afterRead = async () => {
    afterRead = async () => {}
    await resumeRun(world.tenant, runId, {})
    assert.equal((await pause(key)).repeated, false)
  }
  const second = await pause(key)
  assert.deepEqual([second.repeated, second.run.status], [true, 'paused'])
})

test('an impossible run id and a run id of another tenant are not found', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  const { engine } = world
  await rejectsWith('not_found', getRun(engine.tenant(tenantId), 'run\u0000'))
  await rejectsWith('not_found', getRun(engine.tenant('globex'), runId))
})

test('a run reads its snapshot and its own writes, not later writes of other callers', async () => {
  await using world = openUseCases(openInMemoryStore)
  const put = (id: string, content: string) => ({
    id,
    typeId: 'colophon.memory.put',
    config: { memoryRef: 'notes', content },
  })
  await putChain(world, 'writes', [put('first', 'by the first run'), delay])
  await putChain(world, 'writes-too', [put('second', 'by the second run')])
  const first = await startRun(world, { workflowId: 'writes' })
  const second = await startRun(world, { workflowId: 'writes-too' })
  const seenBy = async (runId: string) => {
    const view = await viewOfRun(world.tenant, runId)
    return (await list(world.tenant, 'notes', { run: view })).entries.map(({ content }) => content)
  }
  assert.deepEqual(await seenBy(first.runId), ['by the first run'])
  assert.deepEqual(await seenBy(second.runId), ['by the second run', 'by the first run'])
})

test('the view of an active run is refused once its snapshot is no longer retained; that of an ended run is not', async () => {
  await using world = await openRuns()
  const waiting = await startRun(world, { workflowId: 'waiting' })
  const ended = await startRun(world, { workflowId: 'done' })
  world.clock.advance(limits.snapshotHoldDaysMax * 24 * 60 * 60 * 1_000)
  await viewOfRun(world.tenant, waiting.runId)
  world.clock.advance(1)
  await rejectsWith('snapshot_expired', viewOfRun(world.tenant, waiting.runId))
  await viewOfRun(world.tenant, ended.runId)
})

test('a run that exceeds its time limit fails when it is executed next', async () => {
  await using world = await openRuns()
  const run = await startRun(world, { workflowId: 'waiting', configurable: { runTimeoutMs: 1_000 } })
  world.clock.advance(1_001)
  const failed = await continueRun(world, run)
  assert.deepEqual([failed.status, failed.text.error?.code], ['failed', 'run_timeout'])
  assert.ok((await eventsOf(world, run.runId)).includes('cap.breached'))
})

test('a run that exceeds its node limit fails at the first node beyond it', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(
    world,
    'long',
    ['a', 'b', 'c'].map((id) => ({ id, typeId: 'core.noop' })),
  )
  const run = await startRun(world, { workflowId: 'long', configurable: { recursionLimit: 2 } })
  assert.deepEqual(
    [run.status, run.text.error?.code, Object.keys(run.facts.nodes)],
    ['failed', 'recursion_limit_exceeded', ['a', 'b']],
  )
})
