import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killAdapters } from './adapters-killed.ts'

// `npm run prove -- --property adapters` does this with 100,000 writes.
test('8,000 writes through all adapters while clients and server are killed', { timeout: 3_600_000 }, async () => {
  const { adapters, anomalies } = await killAdapters({ writes: 1_000, killEvery: 150, resent: 40 })
  for (const [name, { lost, doubled, outOfOrder }] of Object.entries(adapters))
    assert.deepEqual([lost, doubled, outOfOrder], [0, 0, 0], name)
  assert.deepEqual(anomalies, [])
})
