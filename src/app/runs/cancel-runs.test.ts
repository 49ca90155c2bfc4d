import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, putChain, startRun } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { isColophonError } from '../../core/errors.ts'
import { cancelActiveRun, cancelRuns } from './cancel-runs.ts'

async function openRuns() {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'waiting', [{ id: 'only', typeId: 'core.delay', config: { delayMs: 60_000 } }])
  await putChain(world, 'done', [{ id: 'only', typeId: 'core.noop' }])
  return world
}

test('a run that has completed is not cancelled', async () => {
  await using world = await openRuns()
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  assert.equal((await cancelActiveRun(world.tenant, runId, 'enough')).run.status, 'cancelled')
  assert.equal((await cancelActiveRun(world.tenant, runId, undefined)).run.status, 'cancelled')
  const done = await startRun(world, { workflowId: 'done' })
  await rejectsWith('run_state', cancelActiveRun(world.tenant, done.runId, undefined))
})

test('of many runs each has its own result, in the order of the request', async () => {
  await using world = await openRuns()
  const waiting = await startRun(world, { workflowId: 'waiting' })
  const done = await startRun(world, { workflowId: 'done' })
  const runIds = ['run_unknown', done.runId, waiting.runId]
  const { results } = await cancelRuns(world.tenant, { runIds, reason: 'enough' }, { actor: 'bob' })
  assert.deepEqual(
    results.map(({ runId, result }) => [runId, isColophonError(result) ? result.code : result.status]),
    [
      ['run_unknown', 'not_found'],
      [done.runId, 'completed'],
      [waiting.runId, 'cancelled'],
    ],
  )
})

test('a bulk cancel without an idempotency key is not stored', async () => {
  await using world = await openRuns()
  const isRepeat = async (options: object) =>
    (await cancelRuns(world.tenant, { runIds: ['run_1', 'run_2'] }, options)).repeated
  assert.deepEqual([await isRepeat({}), await isRepeat({})], [false, false])
  assert.deepEqual([await isRepeat({ idempotencyKey: 'b1' }), await isRepeat({ idempotencyKey: 'b1' })], [false, true])
})
