import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { compactRef, compactTenant } from '../../src/app/compaction/compaction-pass.ts'
import { planOfRequest } from '../../src/app/compaction/compaction-plan.ts'
import { compactionScheduleId } from '../../src/app/compaction/compaction-schedule.ts'
import { getCompaction } from '../../src/app/compaction/compaction-view.ts'
import { requestCompaction } from '../../src/app/compaction/request-compaction.ts'
import { undoCompaction } from '../../src/app/compaction/undo-compaction.ts'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { defaultCompactionPolicy } from '../../src/core/compaction/policy.ts'
import { ColophonError, isColophonError } from '../../src/core/errors.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type CompactionWorld, openCompactionWorld, putFacts, ref, stores, tenantId } from './world.ts'

after(releaseServer)

const dayMs = 86_400_000
const signal = new AbortController().signal
const parts = { actor: 'test', trigger: 'client-requested' as const, signal }

/** A pass over the ref, as a client requests it. */
function compactNow({ engine, clock }: CompactionWorld, draft: { maxInputEntries?: number } = {}, by = engine) {
  const order = planOfRequest({ memoryRef: ref, ...draft }, defaultCompactionPolicy, clock.now)
  return compactRef(by.tenant(tenantId), order, parts)
}

/** All entries, page by page. */
async function readAll({ memory }: CompactionWorld, options: { asOf?: number } = {}) {
  const entries = []
  for (let cursor: string | undefined; ; ) {
    const page = await memory.list(ref, { limit: 500, ...(cursor === undefined ? options : { cursor }) })
    entries.push(...page.entries)
    cursor = page.cursor
    if (cursor === undefined) return entries
  }
}

for (const store of Object.keys(stores)) {
  describe(`compaction on ${store}`, () => {
    test('the daily pass compacts what the policy selects, on its day, and makes up once for a missed day', async () => {
      await using world = await openCompactionWorld(store)
      const { engine, clock, memory } = world
      await putFacts(world, 5)
      await memory.put(ref, { content: 'Never touch this.', tags: ['pinned'] })
      clock.now += 40 * dayMs
      await putFacts(world, 3)
      const policy = { enabled: true, minAgeDays: 30, keepNewest: 2, minEntries: 3, skipTags: ['pinned'] }
      await writeSettings(engine.tenant(tenantId), { compaction: policy })
      const [schedule] = await engine.storage.jobs.schedules(tenantId)
      assert.equal(schedule?.scheduleId, compactionScheduleId)
      assert.equal((await readAll(world)).length, 9)
      clock.now += 3 * dayMs
      world.startWorker()
      await eventually('the pass was made', async () => (await readAll(world)).length === 5)
      const { entries } = await memory.list(ref)
      assert.equal(entries.filter(({ tags }) => tags.includes('source:compaction')).length, 1)
      assert.ok(entries.some(({ content }) => content === 'Never touch this.'))
      const jobs = await engine.storage.jobs.list({ tenantId, status: null, after: null, limit: 10 })
      assert.equal(jobs.length, 1)
    })

    test('a policy that is off, or that selects nothing, changes nothing', async () => {
      await using world = await openCompactionWorld(store)
      const { engine } = world
      await putFacts(world, 30)
      const position = (await engine.storage.clock(tenantId))?.position
      assert.deepEqual(await compactTenant(engine.tenant(tenantId), parts), {
        compactions: 0,
        sources: 0,
        redactionFailures: 0,
      })
      await writeSettings(engine.tenant(tenantId), { compaction: { enabled: true } })
      assert.equal((await compactTenant(engine.tenant(tenantId), parts)).compactions, 0)
      assert.equal((await engine.storage.clock(tenantId))?.position, Number(position) + 1)
    })

    test('a reader of a snapshot reads it unchanged during a compaction pass', async () => {
      await using world = await openCompactionWorld(store)
      await putFacts(world, 120)
      const before = await readAll(world)
      const { position } = await world.memory.snapshot()
      const pass = compactNow(world, { maxInputEntries: 10 })
      let isOver = false
      void pass.then(() => (isOver = true))
      let reads = 0
      do {
        assert.deepEqual(await readAll(world, { asOf: position }), before)
        reads += 1
        // SQLite answers synchronously, and the pass needs the event loop.
        await new Promise((resolve) => setImmediate(resolve))
      } while (!isOver)
      assert.equal((await pass).compactions, 12)
      assert.deepEqual(await readAll(world, { asOf: position }), before)
      assert.ok(reads > 1)
      assert.equal((await world.memory.verify({ contents: true })).ok, true)
    })

    test('with two processes on one ref, each entry is in one compaction', async (t) => {
      if (store === 'model') return t.skip('a model belongs to one process')
      await using world = await openCompactionWorld(store)
      await putFacts(world, 60)
      const other = await world.openAgain()
      const results = await Promise.all([
        compactNow(world, { maxInputEntries: 10 }),
        compactNow(world, { maxInputEntries: 10 }, other),
      ])
      assert.equal(results[0].sources + results[1].sources, 60)
      const made = await world.engine.storage.compactions.list({ tenantId, memoryRef: ref, after: null, limit: 100 })
      const lists = await Promise.all(
        made.map(({ compactionId }) => world.engine.storage.compactions.sources(tenantId, compactionId)),
      )
      const ids = lists.flat().map(({ entryId }) => entryId)
      assert.equal(new Set(ids).size, ids.length)
      assert.equal((await readAll(world)).length, made.length)
      assert.equal((await world.memory.verify({ contents: true })).ok, true)
    })

    for (const moment of ['before', 'after'] as const) {
      test(`a request that is interrupted just ${moment} its commit takes effect once`, async () => {
        let left = 2
        const cutting = (storage: Storage): Storage => ({
          ...storage,
          async commit(batch) {
            const isCut = batch.kind === 'memory.compacted' && left-- > 0
            if (isCut && moment === 'before') throw new ColophonError('storage_unavailable', 'The line was cut.')
            const committed = await storage.commit(batch)
            if (isCut) throw new ColophonError('storage_unavailable', 'The line was cut.')
            return committed
          },
        })
        await using world = await openCompactionWorld(store, { wrap: cutting })
        await putFacts(world, 10)
        const { id, jobId } = await requestCompaction(world.engine.tenant(tenantId), { memoryRef: ref })
        world.startWorker()
        await eventually('it is done', async () => {
          const job = await world.engine.storage.jobs.get(tenantId, jobId)
          // Only the wait for the next attempt is skipped: an attempt under way would lose its lease.
          if (job?.status === 'queued') world.clock.now += 60_000
          return job?.status === 'completed'
        })
        const [output, ...others] = await readAll(world)
        assert.deepEqual(others, [])
        const { outputId, sourceCount } = await getCompaction(world.engine.tenant(tenantId), id)
        assert.deepEqual([outputId, sourceCount], [output?.id, 10])
      })
    }

    test('undo restores exactly, is refused the second time, and does not restore expired entries', async () => {
      await using world = await openCompactionWorld(store)
      const { engine, clock, memory } = world
      await putFacts(world, 12)
      const before = await readAll(world)
      await compactNow(world)
      const [{ compactionId = '' } = {}] = await listOf(world)
      clock.now += dayMs
      await undoCompaction(engine.tenant(tenantId), compactionId)
      assert.deepEqual(await readAll(world), before)
      assert.equal((await memory.verify({ contents: true })).ok, true)
      await refusesUndo(world, compactionId, 'already_undone')

      const expiresAt = new Date(clock.now + 1_000).toISOString()
      const later = new Date(clock.now + 90_000).toISOString()
      await memory.put('short', { content: 'for a second', expiresAt })
      const kept = await memory.put('short', { content: 'for a while', expiresAt: later })
      const order = planOfRequest({ memoryRef: 'short' }, defaultCompactionPolicy, clock.now)
      await compactRef(engine.tenant(tenantId), order, parts)
      clock.now += 2_000
      const [newest] = await listOf(world)
      await undoCompaction(engine.tenant(tenantId), newest?.compactionId ?? '')
      assert.deepEqual((await memory.list('short')).entries, [kept])
    })

    test('two concurrent undos: one takes effect, the other is refused as already undone', async () => {
      await using world = await openCompactionWorld(store)
      await putFacts(world, 12)
      const before = await readAll(world)
      await compactNow(world)
      const [{ compactionId = '' } = {}] = await listOf(world)
      const both = await Promise.allSettled(
        [1, 2].map(() => undoCompaction(world.engine.tenant(tenantId), compactionId)),
      )
      assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      assert.deepEqual(await readAll(world), before)
    })

    test('an undo with an erased source, or with an output that was compacted again, is refused', async () => {
      await using world = await openCompactionWorld(store)
      const { engine } = world
      const ids = await putFacts(world, 4)
      await compactNow(world)
      const [first] = await listOf(world)
      await putFacts(world, 1)
      const order = planOfRequest({ memoryRef: ref }, { ...defaultCompactionPolicy, outputs: true }, world.clock.now)
      await compactRef(engine.tenant(tenantId), order, parts)
      await refusesUndo(world, first?.compactionId ?? '', 'output_changed')
      const [second] = await listOf(world)
      await undoCompaction(engine.tenant(tenantId), second?.compactionId ?? '')
      await eraseVersion(world, ids[0] ?? '')
      await refusesUndo(world, first?.compactionId ?? '', 'source_gone')
    })
  })
}

function listOf({ engine }: CompactionWorld) {
  return engine.storage.compactions.list({ tenantId, memoryRef: null, after: null, limit: 10 })
}

async function refusesUndo({ engine }: CompactionWorld, compactionId: string, reason: string): Promise<void> {
  await assert.rejects(undoCompaction(engine.tenant(tenantId), compactionId), (error: unknown) => {
    assert.ok(isColophonError(error, 'compaction_state'))
    assert.equal(error.details.reason, reason)
    return true
  })
}

/** As retention and forgetting do. */
async function eraseVersion({ engine }: CompactionWorld, entryId: string): Promise<void> {
  const erasures = [{ memoryRef: ref, entryId, version: 1 }]
  await engine.tenant(tenantId).commit({ kind: 'memory.erased', erasures }, { call: { operation: 'test' } })
}
