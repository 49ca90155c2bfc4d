import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../limits.ts'
import { retryDelayMs } from './job.ts'

test('retry delays grow up to jobRetryDelayMsMax', () => {
  const delays = Array.from({ length: 20 }, (_, i) => retryDelayMs(i + 1))
  assert.deepEqual(delays.slice(0, 3), [1_000, 4_000, 16_000])
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  )
  assert.equal(delays.at(-1), limits.jobRetryDelayMsMax)
})
