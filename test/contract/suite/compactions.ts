import assert from 'node:assert/strict'
import type { NewEntry } from '../../../src/core/commit/batch.ts'
import type { NewCompaction } from '../../../src/core/compaction/compaction.ts'
import { currentView } from '../../../src/core/entries/as-of.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf, testMacKey } from './batch.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const memoryRef = 'log'

export function compactionsContract(test: ContractTest): void {
  test('a compaction, its output and the ends of its sources are one commit', async (world) => {
    await putSources(world, ['mem_a', 'mem_b', 'mem_c'])
    const { outcome } = await world.storage.commit(compactionBatch('cmp_1', ['mem_a', 'mem_b']))
    assert.equal(outcome.position, 2)
    assert.deepEqual(await live(world), ['mem_out-of-cmp_1', 'mem_c'])
    assert.deepEqual(await live(world, 1), ['mem_c', 'mem_b', 'mem_a'])
    const stored = await world.storage.compactions.get(tenantId, 'cmp_1')
    assert.deepEqual(stored, {
      ...madeOf('cmp_1'),
      sourceCount: 2,
      status: 'completed',
      recordedPosition: 2,
      at: world.clock.now,
      undonePosition: null,
      undoneAt: null,
      tokenBudget: null,
      tokensUsed: null,
      checksum: null,
    })
    assert.deepEqual(await world.storage.compactions.sources(tenantId, 'cmp_1'), sourcesOf(['mem_a', 'mem_b']))
  })

  test('a distillation keeps its budget, and its sources stay; an undo keeps its lineage', async (world) => {
    await putSources(world, ['mem_a', 'mem_b'])
    const facts = { tokenBudget: 8_000, tokensUsed: 31, checksum: 'f'.repeat(64) }
    const made = { ...madeOf('dst_1'), ...facts, sources: sourcesOf(['mem_b', 'mem_a']) }
    await world.storage.commit(batchOf({ tenantId, puts: [entryOf(made.outputId)], compactions: [{ made }] }))
    const stored = await world.storage.compactions.get(tenantId, 'dst_1')
    assert.partialDeepStrictEqual(stored, { ...facts, sourceCount: 2, status: 'completed' })
    assert.deepEqual(await live(world), [made.outputId, 'mem_b', 'mem_a'])
    await world.storage.commit(batchOf({ tenantId, compactions: [{ undone: 'dst_1' }] }))
    const [undone] = await world.storage.compactions.derivedFrom(tenantId, ['mem_a'])
    assert.partialDeepStrictEqual(undone, { ...facts, status: 'undone' })
    assert.deepEqual(await world.storage.compactions.sources(tenantId, 'dst_1'), sourcesOf(['mem_b', 'mem_a']))
  })

  test('distillations share sources; one that is erased leaves those of the others', async (world) => {
    const ids = Array.from({ length: 300 }, (_, n) => `mem_${n}`)
    await putSources(world, ids)
    const { compactions } = world.storage
    const distill = (compactionId: string, sources: readonly string[]) => {
      const made = { ...madeOf(compactionId), tokenBudget: 8_000, tokensUsed: 31, checksum: 'f'.repeat(64) }
      return world.storage.commit(
        batchOf({
          tenantId,
          puts: [entryOf(made.outputId)],
          compactions: [{ made: { ...made, sources: sourcesOf(sources) } }],
        }),
      )
    }
    const derived = async (entryId: string) =>
      (await compactions.derivedFrom(tenantId, [entryId])).map(({ compactionId }) => compactionId)
    const withoutOne = ids.toSpliced(150, 1)
    // The first two in one group, as writers at the same time.
    await Promise.all([distill('dst_1', ids), distill('dst_2', withoutOne)])
    await distill('dst_3', ids)
    assert.deepEqual(await compactions.sources(tenantId, 'dst_1'), sourcesOf(ids))
    assert.deepEqual(await compactions.sources(tenantId, 'dst_2'), sourcesOf(withoutOne))
    assert.deepEqual(await derived('mem_0'), ['dst_1', 'dst_2', 'dst_3'])
    assert.deepEqual(await derived('mem_150'), ['dst_1', 'dst_3'])
    const erase = (...erased: string[]) =>
      world.storage.commit(batchOf({ tenantId, kind: 'forget.entries', forgetting: { compactions: erased } }))
    await erase('dst_1')
    assert.deepEqual(await derived('mem_150'), ['dst_3'])
    assert.deepEqual(await compactions.sources(tenantId, 'dst_1'), [])
    assert.deepEqual(await compactions.sources(tenantId, 'dst_3'), sourcesOf(ids))
    await erase('dst_2', 'dst_3')
    assert.deepEqual(await derived('mem_0'), [])
    const snapshot = await world.storage.snapshot(tenantId)
    assert.deepEqual(await snapshot.rows.page('lineage', { tenantId, after: null, limit: 10 }), [])
    await snapshot.close()
  })

  test('a compaction with a source that changed since is not stored', async (world) => {
    await putSources(world, ['mem_a', 'mem_b'])
    await world.storage.commit(batchOf({ tenantId, ends: [{ memoryRef, entryId: 'mem_b', reason: 'deleted' }] }))
    await rejectsWith('version_conflict', world.storage.commit(compactionBatch('cmp_1', ['mem_a', 'mem_b'])))
    assert.deepEqual(await live(world), ['mem_a'])
    assert.equal(await world.storage.compactions.get(tenantId, 'cmp_1'), null)
    assert.deepEqual(await world.storage.compactions.derivedFrom(tenantId, ['mem_a']), [])
  })

  test('of two concurrent compactions of the same sources one is stored', async (world) => {
    await putSources(world, ['mem_a', 'mem_b'])
    const both = ['cmp_1', 'cmp_2'].map((id) => world.storage.commit(compactionBatch(id, ['mem_a', 'mem_b'])))
    const settled = await Promise.allSettled(both)
    assert.deepEqual(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await live(world)).length, 1)
    assert.equal((await world.storage.compactions.derivedFrom(tenantId, ['mem_b'])).length, 1)
  })

  test('undoing restores the sources as their next versions, once', async (world) => {
    await putSources(world, ['mem_a', 'mem_b'])
    await world.storage.commit(compactionBatch('cmp_1', ['mem_a', 'mem_b']))
    world.clock.advance(5)
    await world.storage.commit(undoBatch('cmp_1', ['mem_a', 'mem_b']))
    assert.deepEqual(await live(world), ['mem_b', 'mem_a'])
    assert.deepEqual(await live(world, 2), ['mem_out-of-cmp_1'])
    const undone = await world.storage.compactions.get(tenantId, 'cmp_1')
    assert.deepEqual([undone?.status, undone?.undonePosition, undone?.undoneAt], ['undone', 3, world.clock.now])
    await rejectsWith(
      'compaction_state',
      world.storage.commit(batchOf({ tenantId, compactions: [{ undone: 'cmp_1' }] })),
    )
    await rejectsWith('not_found', world.storage.commit(batchOf({ tenantId, compactions: [{ undone: 'cmp_9' }] })))
    assert.deepEqual(await live(world), ['mem_b', 'mem_a'])
    assert.deepEqual(await world.storage.compactions.sources(tenantId, 'cmp_1'), sourcesOf(['mem_a', 'mem_b']))
  })

  test('a compaction and its undo in one group are both stored, in order', async (world) => {
    await putSources(world, ['mem_a', 'mem_b'])
    await Promise.all([
      world.storage.commit(compactionBatch('cmp_1', ['mem_a', 'mem_b'])),
      world.storage.commit(undoBatch('cmp_1', ['mem_a', 'mem_b'])),
    ])
    assert.deepEqual(await live(world), ['mem_b', 'mem_a'])
    assert.equal((await world.storage.compactions.get(tenantId, 'cmp_1'))?.status, 'undone')
  })

  test('an ended version is expected as ended, and by its number', async (world) => {
    await putSources(world, ['mem_a'])
    const expecting = (version: number) =>
      world.storage.commit(batchOf({ tenantId, expects: [{ memoryRef, entryId: 'mem_a', version, isEnded: true }] }))
    await rejectsWith('version_conflict', expecting(1))
    await world.storage.commit(batchOf({ tenantId, ends: [{ memoryRef, entryId: 'mem_a', reason: 'deleted' }] }))
    await expecting(1)
    await rejectsWith('version_conflict', expecting(2))
  })

  test('compactions are listed newest first, by ref and by page, and are found by their source entries', async (world) => {
    await putSources(world, ['mem_a', 'mem_b', 'mem_c', 'mem_d'])
    await world.storage.commit(compactionBatch('cmp_1', ['mem_a', 'mem_b']))
    await world.storage.commit(compactionBatch('cmp_2', ['mem_c', 'mem_out-of-cmp_1']))
    await rejectsWith('compaction_state', world.storage.commit(compactionBatch('cmp_2', ['mem_d'])))
    const list = async (query: { memoryRef?: string; after?: string; limit?: number; of?: string }) => {
      const { of = tenantId, memoryRef: ref = null, after = null, limit = 10 } = query
      const found = await world.storage.compactions.list({ tenantId: of, memoryRef: ref, after, limit })
      return found.map(({ compactionId }) => compactionId)
    }
    assert.deepEqual(await list({}), ['cmp_2', 'cmp_1'])
    assert.deepEqual(await list({ memoryRef }), ['cmp_2', 'cmp_1'])
    assert.deepEqual(await list({ memoryRef, limit: 1 }), ['cmp_2'])
    assert.deepEqual(await list({ memoryRef, after: 'cmp_2' }), ['cmp_1'])
    assert.deepEqual(await list({ memoryRef: 'other' }), [])
    assert.deepEqual(await list({ of: 'unknown' }), [])
    const derived = async (...entryIds: string[]) =>
      (await world.storage.compactions.derivedFrom(tenantId, entryIds)).map(({ compactionId }) => compactionId)
    assert.deepEqual(await derived('mem_a'), ['cmp_1'])
    assert.deepEqual(await derived('mem_out-of-cmp_1', 'mem_b'), ['cmp_1', 'cmp_2'])
    assert.deepEqual(await derived('mem_d'), [])
    assert.deepEqual(await world.storage.compactions.derivedFrom('unknown', ['mem_a']), [])
  })
}

function entryOf(entryId: string): NewEntry {
  const origin = { kind: 'api' } as const
  return {
    memoryRef,
    entryId,
    content: `text of ${entryId}`,
    tags: ['x'],
    expiresAt: null,
    subject: null,
    origin,
    salt: 's',
  }
}

async function putSources({ storage, clock }: World, ids: readonly string[]): Promise<void> {
  await storage.ensureTenant(tenantId, { macKey: testMacKey }, clock.now)
  await storage.commit(batchOf({ tenantId, puts: ids.map(entryOf) }))
}

const sourcesOf = (ids: readonly string[]) => ids.map((entryId) => ({ entryId, version: 1 }))

function madeOf(compactionId: string): Omit<NewCompaction, 'sources'> {
  const outputId = `mem_out-of-${compactionId}`
  return { compactionId, memoryRef, outputId, byteSize: 7, runId: 'run_1', summariser: 'extractive' }
}

function compactionBatch(compactionId: string, ids: readonly string[]) {
  const made = madeOf(compactionId)
  return batchOf({
    tenantId,
    kind: 'memory.compacted',
    puts: [{ ...entryOf(made.outputId), origin: { kind: 'compaction', compactionId } }],
    ends: ids.map((entryId) => ({ memoryRef, entryId, reason: 'compacted' })),
    expects: ids.map((entryId) => ({ memoryRef, entryId, version: 1 })),
    compactions: [{ made: { ...made, sources: sourcesOf(ids) } }],
  })
}

function undoBatch(compactionId: string, ids: readonly string[]) {
  const entryId = madeOf(compactionId).outputId
  return batchOf({
    tenantId,
    kind: 'memory.compaction_undone',
    revisions: ids.map((id) => ({ ...entryOf(id), revives: true })),
    ends: [{ memoryRef, entryId, reason: 'undone' }],
    expects: [
      ...ids.map((id) => ({ memoryRef, entryId: id, version: 1, isEnded: true as const })),
      { memoryRef, entryId, version: 1 },
    ],
    compactions: [{ undone: compactionId }],
  })
}

async function live({ storage, clock }: World, position: number | null = null): Promise<string[]> {
  const view = { ...currentView, position }
  const { versions } = await storage.list({
    tenantId,
    memoryRef,
    tag: null,
    view,
    now: clock.now,
    before: null,
    limit: 10,
  })
  return versions.map(({ entryId }) => entryId)
}
