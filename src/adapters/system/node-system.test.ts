import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeSystem } from './node-system.ts'

test('ids are UUIDs of version 7, each greater than the one before', () => {
  const { newId } = nodeSystem()
  const ids = Array.from({ length: 1_000 }, () => newId('run'))
  for (const id of ids) assert.match(id, /^run_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual([...ids].sort(), ids)
  assert.equal(new Set(ids).size, ids.length)
})
