import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain, startRun } from '../../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../../adapters/in-memory/open.ts'
import { ColophonError } from '../../../core/errors.ts'
import { readSnapshots } from './read-snapshots.ts'

async function openRuns() {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'visit', [{ id: 'only', typeId: 'core.noop' }])
  const start = () => startRun(world, { workflowId: 'visit', metadata: { note: 'x'.repeat(1_000) } })
  const runs = [await start(), await start(), await start()]
  return { ...world, items: runs.map(({ runId }) => ({ runId })) }
}

test('a page of large runs ends at its bytes, and names the run at which it ended', async () => {
  await using world = await openRuns()
  const [first, second] = world.items
  const sizes = async (bytes: number) => {
    const { runs, stoppedAt } = await readSnapshots(world.tenant, world.items, bytes)
    return [runs.length, stoppedAt]
  }
  assert.deepEqual(await sizes(1), [1, first?.runId], 'a page has one run, whatever its size')
  assert.deepEqual(await sizes(2_000), [2, second?.runId])
  assert.deepEqual(await sizes(4_000), [3, undefined], 'the last run leaves nothing to follow')
  assert.deepEqual(await sizes(100_000), [3, undefined])
})

test('a run that was erased meanwhile is left out; a run that cannot be read is an error', async () => {
  await using world = await openRuns()
  const { tenant, items } = world
  const erased = { runId: 'run_erased' }
  assert.equal((await readSnapshots(tenant, [erased, ...items])).runs.length, 3)
  const broken = new ColophonError('storage_unavailable', 'The database does not answer.')
  const runs = { ...tenant.storage.runs, get: () => Promise.reject(broken) }
  const failing = Object.create(tenant, { storage: { value: { ...tenant.storage, runs } } })
  await assert.rejects(readSnapshots(failing, items), broken)
})
