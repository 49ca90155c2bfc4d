import assert from 'node:assert/strict'
import { shortSha256 } from '../../../src/core/audit/digest.ts'
import { everySequence, type Fence } from '../../../src/core/forget/fence.ts'
import { figures, find, texts } from './search-calls.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const memoryRef = 'notes'
const space = { model: 'small', dimensions: 2 }
const fences: Fence[] = [{ kind: 'tag', value: 'bird', position: 1_000, ...everySequence }]

/** Two entries with all dependent rows of a version: a tag and a vector. They are not indexed yet. */
async function write({ colophon, storage }: World): Promise<void> {
  for (const content of ['heron', 'plover']) await colophon.memory(tenantId).put(memoryRef, { content, tags: ['bird'] })
  const versions = await storage.scanVersions({ tenantId, after: null, limit: 10 })
  const vectors = versions.map((version) => ({
    ...version,
    contentHash: shortSha256(version.content),
    vector: Float32Array.of(1, 0),
  }))
  assert.equal(await storage.vectors.save(tenantId, space, 1, vectors), 2)
}

async function hanging({ storage }: World) {
  const [waiting] = await storage.search.unindexed({ after: null, rowsMax: 10, limit: 10 })
  const [counted] = await storage.vectors.counts(tenantId)
  const { tags } = await storage.forget.leftovers(tenantId, fences)
  return { waiting: waiting?.rows, vectors: counted?.vectors, tags }
}

/** Dependent rows of a version that does not exist. No commit leaves them; here SQL creates them. */
export function orphansContract(test: ContractTest): void {
  test('dependent rows of an existing version are no orphans', async (world) => {
    await write(world)
    const before = await hanging(world)
    assert.equal(await world.storage.forget.removeOrphans(tenantId, 10), 0)
    assert.equal(await world.storage.forget.removeOrphans('unknown', 10), 0)
    assert.deepEqual(await hanging(world), before)
  })

  test(
    'orphans are removed, a few at a time, of one tenant only',
    async (world) => {
      const { storage, execute } = world
      await write(world)
      await world.colophon.memory('other').put(memoryRef, { content: 'gone too', tags: ['bird'] })
      await execute(`delete from entry_version where tenant_id = 'other' or content = 'heron'`)
      // What is not indexed yet is the version itself: without it nothing is left to index.
      const { tags, ...others } = await hanging(world)
      assert.deepEqual(others, { waiting: 1, vectors: 2 })
      // A store that does not name the tag in the rows of tags counts all rows without a version.
      assert.ok(tags === 2 || tags === 3, `${tags} rows of tags`)
      const { searchRows, vectors } = await storage.forget.leftovers(tenantId, [])
      assert.deepEqual({ searchRows, vectors }, { searchRows: 0, vectors: 1 })
      const removed = []
      // The entry has two tags: its own, and the one that names its source.
      for (let round = 1; round <= 3; round++) removed.push(await storage.forget.removeOrphans(tenantId, 1))
      assert.deepEqual(removed, [2, 1, 0])
      assert.deepEqual(await hanging(world), { waiting: 1, vectors: 1, tags: 1 })
      assert.ok((await storage.forget.leftovers('other', fences)).tags >= 1)
    },
    { sql: true },
  )

  test(
    'an indexed row without its version is removed from the index together with its words',
    async (world) => {
      const { storage, execute } = world
      await write(world)
      await storage.search.index(tenantId, memoryRef, 10)
      await execute(`delete from entry_version where content = 'heron'`)
      assert.equal((await storage.forget.leftovers(tenantId, [])).searchRows, 1)
      await storage.forget.removeOrphans(tenantId, 10)
      assert.equal((await storage.forget.leftovers(tenantId, [])).searchRows, 0)
      const found = await find(storage, 'heron plover')
      assert.deepEqual(figures(found), { entries: 1, frequencies: [0, 1] })
      assert.deepEqual(texts(found), ['plover'])
    },
    { sql: true },
  )
}
