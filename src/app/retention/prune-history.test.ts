import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, putChain, startRun, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { revise } from '../entries/change.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { writeSettings } from '../redaction/rules.ts'
import { pruneHistory } from './prune-history.ts'
import { groupByEvents } from './small-steps.ts'
import { sweepExpired } from './sweep-expired.ts'

const dayMs = 24 * 60 * 60 * 1_000
const pass = { signal: new AbortController().signal }

/** One entry with two versions; the tenant keeps history for ten days. */
async function openHistory() {
  const world = openUseCases(openInMemoryStore)
  await writeSettings(world.tenant, { historyRetentionDays: 10 })
  const { id } = await put(world.tenant, 'notes', { content: 'one' })
  const first = (await world.engine.storage.clock(tenantId))?.position ?? 0
  world.clock.advance(1_000)
  await revise(world.tenant, 'notes', id, { content: 'two' })
  return { ...world, first, id }
}

const contents = async ({ tenant }: UseCaseWorld, options = {}) =>
  (await list(tenant, 'notes', options)).entries.map(({ content }) => content)

test('inside the window history is kept as it is', async () => {
  await using world = await openHistory()
  world.clock.advance(10 * dayMs - 1_001)
  const pruned = await pruneHistory(world.tenant, pass)
  assert.equal(pruned.versions, 0)
  assert.deepEqual(await contents(world, { asOf: world.first }), ['one'])
})

test('after the retention window the beginning of history moves and old versions are deleted; the newest stay', async () => {
  await using world = await openHistory()
  world.clock.advance(10 * dayMs)
  const pruned = await pruneHistory(world.tenant, pass)
  assert.deepEqual([pruned.historyFrom, pruned.versions], [world.first + 1, 1])
  await rejectsWith('history_expired', list(world.tenant, 'notes', { asOf: world.first }))
  assert.deepEqual(await contents(world), ['two'])
  assert.equal(world.engine.host.upkeepCounters.counts().get('versions'), 1)
  assert.equal((await pruneHistory(world.tenant, pass)).versions, 0)
})

test('history is not pruned past the snapshot of an unfinished run', async () => {
  await using world = openUseCases(openInMemoryStore)
  await writeSettings(world.tenant, { historyRetentionDays: 1 })
  await putChain(world, 'waiting', [{ id: 'wait', typeId: 'core.delay', config: { delayMs: 20 * dayMs } }])
  const { id } = await put(world.tenant, 'notes', { content: 'one' })
  const run = await startRun(world, { workflowId: 'waiting' })
  await revise(world.tenant, 'notes', id, { content: 'two' })
  world.clock.advance(5 * dayMs)
  const { historyFrom, versions } = await pruneHistory(world.tenant, pass)
  assert.deepEqual([historyFrom, versions], [run.snapshot.position, 0])
  assert.deepEqual(await contents(world, { run: { snapshot: run.snapshot.position, own: [] } }), ['one'])
})

test('a pass that is aborted stops before its next step', async () => {
  await using world = await openHistory()
  world.clock.advance(20 * dayMs)
  await assert.rejects(pruneHistory(world.tenant, { signal: AbortSignal.abort() }))
  assert.equal((await pruneHistory(world.tenant, pass)).versions, 1)
})

test('expired entries are ended once, and the version can still be read as of a time before', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { engine, clock } = world
  const expiresAt = new Date(clock.now + 1_000).toISOString()
  for (let n = 0; n < limits.upkeepStepRowsMax + 1; n++)
    await put(engine.tenant(tenantId), 'notes', { content: `${n}`, expiresAt })
  await put(engine.tenant(tenantId), 'notes', { content: 'kept' })
  assert.deepEqual(await sweepExpired(engine.tenant(tenantId), pass), { expired: 0 })
  clock.advance(1_000)
  const counted: number[] = []
  const onProgress = ({ expired = 0 }: Readonly<Record<string, number>>) => void counted.push(expired)
  const expired = limits.upkeepStepRowsMax + 1
  assert.deepEqual(await sweepExpired(engine.tenant(tenantId), { ...pass, onProgress }), { expired })
  assert.deepEqual(counted, [limits.upkeepStepRowsMax, expired])
  assert.deepEqual(await sweepExpired(engine.tenant(tenantId), pass), { expired: 0 })
  assert.deepEqual([await contents(world), engine.host.upkeepCounters.counts().get('expired')], [['kept'], expired])
})

test('runs are pruned in groups of limited events, and a longer run is a group of its own', () => {
  const max = limits.upkeepStepEventsMax
  const groups = (lengths: number[]) =>
    [...groupByEvents(lengths.map((nextSequence) => ({ nextSequence })))].map((group) =>
      group.map(({ nextSequence }) => nextSequence),
    )
  assert.deepEqual(groups([]), [])
  assert.deepEqual(groups([1, max - 1, 1]), [[1, max - 1], [1]])
  assert.deepEqual(groups([5, max * 3, 5]), [[5], [max * 3], [5]])
})
