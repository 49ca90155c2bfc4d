import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Batch } from '../../core/commit/batch.ts'
import { limits } from '../../core/limits.ts'
import { createErasurePace } from './erasure-pace.ts'

const most = limits.forgetBatchEntriesMax

/** A batch that erases so many entries, two versions of each. */
function erasing(entries: number): Batch {
  const versions = (entry: number) => [1, 2].map((version) => ({ entryId: `mem_${entry}`, version }))
  return { erasures: Array.from({ length: entries }, (_, entry) => versions(entry)).flat() } as unknown as Batch
}

test('the next commit erases as many entries as the last one could in 12 ms of the processor, one at least', () => {
  let now = 0
  const pace = createErasurePace(() => now)
  const spend = (ms: number) => () => {
    now += ms
  }
  assert.equal(pace.entries(), most)
  pace.run([erasing(25)], spend(30))
  assert.equal(pace.entries(), 10)
  pace.run([erasing(10)], spend(60))
  assert.equal(pace.entries(), 2)
  pace.run([erasing(2)], spend(100))
  assert.equal(pace.entries(), 1)
  pace.run([erasing(1)], spend(2))
  assert.equal(pace.entries(), 6)
  pace.run([erasing(6)], spend(0))
  assert.equal(pace.entries(), most)
})

test('commits that also store other batches, or erase nothing, say nothing about it', () => {
  let now = 0
  const pace = createErasurePace(() => now)
  const spend = () => {
    now += 1_000
    return 'stored'
  }
  assert.equal(pace.run([erasing(5), erasing(0)], spend), 'stored')
  assert.equal(pace.run([erasing(0)], spend), 'stored')
  assert.equal(pace.entries(), most)
})
