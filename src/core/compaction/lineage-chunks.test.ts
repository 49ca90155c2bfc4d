import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../limits.ts'
import type { CompactionSource } from './compaction.ts'
import { isChunkId, toLineageChunks } from './lineage-chunks.ts'

const many = (count: number): CompactionSource[] =>
  Array.from({ length: count }, (_, n) => ({ entryId: `mem_${n}-${(n * 7919) % 10_007}`, version: 1 }))

/** The sources of chunks that another list of sources does not have. */
function added(sources: readonly CompactionSource[], before: readonly CompactionSource[]): number {
  const known = new Set(toLineageChunks(before).map(({ chunkId }) => chunkId))
  return toLineageChunks(sources).reduce(
    (sum, { chunkId, sources }) => sum + (known.has(chunkId) ? 0 : sources.length),
    0,
  )
}

test('chunks have all sources in order, and their ids are no ids of compactions', () => {
  const source = fc.record({
    entryId: fc.string({ minLength: 1, maxLength: 8 }),
    version: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(fc.array(source, { maxLength: 400 }), (sources) => {
      const chunks = toLineageChunks(sources)
      assert.deepEqual(
        chunks.flatMap((chunk) => chunk.sources),
        sources,
      )
      for (const { chunkId, sources } of chunks) {
        assert.ok(isChunkId(chunkId) && chunkId < 'a')
        assert.ok(sources.length > 0 && sources.length <= limits.lineageChunkSourcesMax)
      }
    }),
    { numRuns: 50 },
  )
})

test('a list that changed a little shares its other chunks', () => {
  const before = many(10_000)
  assert.ok(toLineageChunks(before).length < 400)
  const revised = before.map((source, at) => (at === 5_000 ? { ...source, version: 2 } : source))
  const changes = {
    revised,
    shorter: before.toSpliced(3_000, 1),
    longer: [...before, { entryId: 'mem_new', version: 1 }],
  }
  for (const [name, sources] of Object.entries(changes)) {
    const count = added(sources, before)
    assert.ok(count > 0 && count <= 2 * limits.lineageChunkSourcesMax, `${name}: ${count} sources are in new chunks`)
  }
})

test('another version or another order of the same entries is another chunk', () => {
  const [one, other] = many(2) as [CompactionSource, CompactionSource]
  const ids = [
    [one, other],
    [other, one],
    [{ ...one, version: 2 }, other],
  ].map((sources) => toLineageChunks(sources)[0]?.chunkId)
  assert.equal(new Set(ids).size, 3)
})
