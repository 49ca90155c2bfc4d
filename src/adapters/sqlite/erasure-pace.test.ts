import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../core/limits.ts'
import { createErasurePace } from './erasure-pace.ts'

test('the next commit erases as many entries as the last one could in 12 ms, one at least', () => {
  const pace = createErasurePace()
  assert.equal(pace.entries(), limits.forgetBatchEntriesMax)
  pace.note(25, 30)
  assert.equal(pace.entries(), 10)
  pace.note(10, 60)
  assert.equal(pace.entries(), 2)
  pace.note(2, 100)
  assert.equal(pace.entries(), 1)
  pace.note(1, 2)
  assert.equal(pace.entries(), 6)
  pace.note(6, 1)
  assert.equal(pace.entries(), limits.forgetBatchEntriesMax)
})
