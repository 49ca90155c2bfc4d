import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { undoCompaction } from '../../src/app/compaction/undo-compaction.ts'
import { distillRef } from '../../src/app/distillation/distill-ref.ts'
import { getDistillation, listDistillations } from '../../src/app/distillation/distillation-view.ts'
import { requestDistillation } from '../../src/app/distillation/request-distillation.ts'
import { patchEntry } from '../../src/app/entries/patch.ts'
import { putRule, writeSettings } from '../../src/app/redaction/rules.ts'
import { pruneHistory } from '../../src/app/retention/prune-history.ts'
import { sweepExpired } from '../../src/app/retention/sweep-expired.ts'
import { getFile, listFiles } from '../../src/app/workspace/files.ts'
import { parseIndex } from '../../src/core/distillation/memory-index.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { countTokens } from '../../src/core/search/token-budget.ts'
import { type CompactionWorld, openCompactionWorld, putFacts, ref, stores, tenantId } from '../compaction/world.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'

after(releaseServer)

const signal = new AbortController().signal
const dayMs = 86_400_000

function distill({ engine }: CompactionWorld, tokenBudget = 8_000, by = engine) {
  const tenant = by.tenant(tenantId)
  const distillationId = tenant.system.newId('dst')
  return distillRef(tenant, { distillationId, memoryRef: ref, tokenBudget, actor: 'test', signal })
}

async function positionOf({ engine }: CompactionWorld): Promise<number> {
  return (await engine.storage.clock(tenantId))?.position ?? 0
}

async function indexOf({ engine }: CompactionWorld) {
  return parseIndex((await getFile(engine.tenant(tenantId), 'default', 'MEMORY-INDEX.json')).content)
}

for (const store of Object.keys(stores)) {
  describe(`distillation on ${store}`, () => {
    test('distillations of many refs at once are all in the index', async () => {
      await using world = await openCompactionWorld(store)
      const { engine, memory } = world
      const refs = Array.from({ length: 8 }, (_, n) => `many/${n}`)
      for (const memoryRef of refs) await memory.put(memoryRef, { content: 'Ada prefers tea.' })
      const tenant = engine.tenant(tenantId)
      const one = (memoryRef: string) => ({ distillationId: tenant.system.newId('dst'), memoryRef, tokenBudget: 8_000 })
      await Promise.all(refs.map((memoryRef) => distillRef(tenant, { ...one(memoryRef), actor: 'test', signal })))
      assert.deepEqual(Object.keys(await indexOf(world)).sort(), refs)
      assert.deepEqual([...engine.host.compactionCounters.counts()], [['distillation', refs.length]], 'for the metrics')
    })

    test('retention deletes the lineage with the archive, and only what no other distillation has', async () => {
      await using world = await openCompactionWorld(store)
      const { engine, memory, clock } = world
      const tenant = engine.tenant(tenantId)
      await putFacts(world, 80)
      const old = await distill(world)
      const next = await distill(world, 9_000)
      assert.ok(old && next)
      await undoCompaction(tenant, old.compactionId, {})
      await memory.snapshot()
      const owners = async () => {
        const snapshot = await engine.storage.snapshot(tenantId)
        const page = await snapshot.rows.page('lineage', { tenantId, after: null, limit: 10_000 })
        await snapshot.close()
        return new Set(page.map(({ key }) => String(key[0])))
      }
      clock.now += 20 * dayMs
      await writeSettings(tenant, { historyRetentionDays: 1 })
      clock.now += 2 * dayMs
      await pruneHistory(tenant, { signal })
      assert.deepEqual(await engine.storage.compactions.get(tenantId, old.compactionId), null)
      assert.equal((await engine.storage.compactions.sources(tenantId, next.compactionId)).length, 80)
      assert.equal((await memory.verify({ contents: true })).ok, true)
      clock.now += 30 * dayMs
      await sweepExpired(tenant, { signal })
      clock.now += 2 * dayMs
      await memory.put('other', { content: 'Later.' })
      clock.now += 2 * dayMs
      await pruneHistory(tenant, { signal })
      assert.deepEqual(await owners(), new Set())
      assert.equal((await memory.verify({ contents: true })).ok, true)
    })

    test('the archive, its lineage, the index and the event are one commit, and the sources stay', async () => {
      await using world = await openCompactionWorld(store)
      const { engine, memory } = world
      const ids = await putFacts(world, 4)
      const before = await positionOf(world)
      const made = await distill(world)
      assert.ok(made)
      assert.equal(await positionOf(world), before + 1)
      const archive = await memory.get(ref, made.outputId)
      assert.ok(archive)
      assert.deepEqual(await memory.get(`archive:${ref}`, made.outputId), archive)
      assert.match(archive.content, /Customer 3 owes 22 EUR\./)
      assert.equal(archive.expiresAt, new Date(world.clock.now + 30 * 86_400_000).toISOString())
      assert.equal(made.tokensUsed, 16 + 4 * countTokens('Customer 0 owes 1 EUR.') + countTokens(archive.content))
      assert.deepEqual(
        (await engine.storage.compactions.sources(tenantId, made.compactionId)).map(({ entryId }) => entryId),
        ids,
      )
      assert.deepEqual(
        (await memory.list(ref)).entries.map(({ id }) => id),
        ids.toReversed(),
      )
      assert.equal((await memory.search(ref, 'customer owes EUR')).results.length, 4)
      const events = await engine.storage.runs.events({ tenantId, runId: made.runId, from: 0, limit: 10 })
      assert.deepEqual(
        events.map(({ type }) => type),
        ['run.started', 'memory.written', 'workspace.updated', 'memory.compacted', 'run.completed'],
      )
      assert.deepEqual(events[2]?.payload, { path: 'MEMORY-INDEX.json', version: 1 })
      assert.deepEqual(events[3]?.payload, {
        memoryRef: ref,
        outputId: made.outputId,
        sourceCount: 4,
        trigger: 'host-managed',
        byteSize: archive.content.length,
        sourceIds: ids,
        distillation: { tokenBudget: 8_000, tokensUsed: made.tokensUsed, indexUpdated: true },
      })
      assert.deepEqual(await indexOf(world), {
        [ref]: {
          archiveId: made.outputId,
          archiveChecksum: made.checksum,
          entryCount: 4,
          updatedAt: new Date(world.clock.now).toISOString(),
          expiresAt: archive.expiresAt,
        },
      })
    })

    test('a budget that is too small is refused by what is missing, and nothing is written', async () => {
      await using world = await openCompactionWorld(store)
      const { engine } = world
      await putFacts(world, 3)
      const before = await positionOf(world)
      const refused = await distill(world, 1).catch((error: unknown) => error)
      assert.ok(isColophonError(refused, 'token_budget_exceeded'))
      const { budget, minimumRequired } = refused.details
      assert.equal(budget, 1)
      assert.equal(await positionOf(world), before)
      assert.deepEqual(await listFiles(engine.tenant(tenantId), 'default'), [])
      assert.equal((await engine.storage.runs.list({ tenantId, after: null, limit: 10 } as never)).length, 0)
      await assert.rejects(distill(world, Number(minimumRequired) - 1))
      const made = await distill(world, Number(minimumRequired))
      assert.ok(made && Number(made.tokensUsed) <= Number(minimumRequired))
    })

    test('the same sources and budget give the stored archive, and another budget another one', async () => {
      await using world = await openCompactionWorld(store)
      await putFacts(world, 3)
      const first = await distill(world)
      const before = await positionOf(world)
      assert.deepEqual(await distill(world), first)
      assert.equal(await positionOf(world), before)
      const other = await distill(world, 9_000)
      assert.notEqual(other?.outputId, first?.outputId)
      assert.notEqual(other?.checksum, first?.checksum)
      await world.memory.put(ref, { content: 'Customer 9 pays at last.' })
      assert.notEqual((await distill(world))?.outputId, first?.outputId)
    })

    test('two processes at once make one archive', async () => {
      await using world = await openCompactionWorld(store)
      await putFacts(world, 3)
      const second = store === 'model' ? world.engine : await world.openAgain()
      const made = await Promise.all([distill(world), distill(world, 8_000, second), distill(world)])
      assert.equal(new Set(made.map((each) => each?.compactionId)).size, 1)
      assert.equal((await listDistillations(world.memory, { memoryRef: ref, after: null, limit: 10 })).length, 1)
      assert.equal(Object.keys(await indexOf(world)).length, 1)
    })

    test('an undo ends the archive, the index names the one before, and distilling again makes a new one', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine } = world
      await putFacts(world, 2)
      const first = await distill(world)
      const second = await distill(world, 9_000)
      assert.ok(first && second)
      const { compaction } = await undoCompaction(engine.tenant(tenantId), second.compactionId)
      assert.equal(compaction.status, 'undone')
      assert.equal(await memory.get(ref, second.outputId), null)
      assert.equal((await indexOf(world))[ref]?.archiveId, first.outputId)
      assert.equal((await memory.list(ref)).entries.length, 2)
      await undoCompaction(engine.tenant(tenantId), first.compactionId)
      assert.deepEqual(await indexOf(world), {})
      const again = await distill(world)
      assert.notEqual(again?.outputId, first.outputId)
      assert.equal(again?.checksum, first.checksum)
      await assert.rejects(undoCompaction(engine.tenant(tenantId), first.compactionId))
    })

    test('an archive cannot be changed or deleted, and it ends with its retention while the sources stay', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine, clock } = world
      await putFacts(world, 2)
      const made = await distill(world)
      assert.ok(made)
      const archives = `archive:${ref}`
      await assert.rejects(memory.put(archives, { content: 'Forged.' }))
      for (const at of [ref, archives]) {
        await assert.rejects(memory.revise(at, made.outputId, { content: 'Forged.' }))
        await assert.rejects(patchEntry(engine.tenant(tenantId), at, made.outputId, { content: 'Forged.' }))
        assert.equal(await memory.delete(at, made.outputId), false)
      }
      assert.ok(await memory.get(ref, made.outputId))
      clock.now += 30 * 86_400_000 + 1
      assert.equal(await memory.get(ref, made.outputId), null)
      assert.equal((await memory.list(ref)).entries.length, 2)
      assert.notEqual((await distill(world))?.outputId, made.outputId)
    })

    test('an archive has the lowest class and the common readers of its sources; a restricted one is in no index', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine } = world
      await memory.put(ref, { content: 'For all to read.' })
      const { id } = await memory.put(ref, { content: 'For ana and bo to read.', readers: ['ana', 'bo'] })
      await memory.put(ref, { content: 'Whatever a web page said.', trust: 'untrusted' })
      const made = await distill(world)
      assert.ok(made)
      assert.equal(made.sourceCount, 2)
      const [archive] = await engine.storage.provenance.newestVersions(tenantId, [made.outputId])
      assert.deepEqual([archive?.readers, archive?.trust], [['ana', 'bo'], 'agent'])
      assert.doesNotMatch(archive?.content ?? '', /web page/)
      assert.equal(await memory.get(ref, made.outputId, { reader: 'eve' }), null)
      assert.ok(await memory.get(ref, made.outputId, { reader: 'ana' }))
      assert.deepEqual(await listFiles(engine.tenant(tenantId), 'default'), [])
      await patchEntry(engine.tenant(tenantId), ref, id, { readers: ['bo'] }, { mayWiden: true })
      assert.equal(await memory.get(ref, made.outputId, { reader: 'ana' }), null)
    })

    test('a secret that was registered after its sources were stored reaches no archive', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine } = world
      await memory.put(ref, { content: 'The gate opens with marble-otter-1729-canal.' })
      await putFacts(world, 2)
      await putRule(engine.tenant(tenantId), 'gate', { pattern: 'marble-[a-z]+-[0-9]+-canal' })
      const made = await distill(world)
      const archive = made && (await memory.get(ref, made.outputId))
      assert.match(archive?.content ?? '', /\[REDACTED:gate\]/)
      assert.doesNotMatch(archive?.content ?? '', /marble/)
    })

    test('a requested distillation is pending, then completed; an unchanged ref gives the earlier one', async () => {
      await using world = await openCompactionWorld(store)
      const tenant = world.engine.tenant(tenantId)
      await putFacts(world, 2)
      await assert.rejects(requestDistillation(tenant, { memoryRef: ref, tokenBudget: 2 }, signal), (error) =>
        isColophonError(error, 'token_budget_exceeded'),
      )
      const { id } = await requestDistillation(tenant, { memoryRef: ref }, signal)
      assert.equal((await getDistillation(tenant, id)).status, 'pending')
      world.startWorker()
      await eventually('it is made', async () => (await getDistillation(tenant, id)).status === 'completed')
      const made = await getDistillation(tenant, id)
      assert.equal(made.tokenBudget, 1_000_000)
      const second = await requestDistillation(tenant, { memoryRef: ref }, signal)
      await eventually('it has ended', async () => (await getDistillation(tenant, second.id)).status === 'completed')
      assert.equal((await getDistillation(tenant, second.id)).id, id)
      const empty = await requestDistillation(tenant, { memoryRef: 'agents/nobody' }, signal)
      await eventually('it has ended', async () => (await getDistillation(tenant, empty.id)).status === 'empty')
    })
  })
}
