import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hookLimits, hookMsLeft } from './hook-limits.ts'

test('a hook ends within a second of its start, whatever limit it is given', () => {
  assert.ok(hookLimits.hookMsDefault <= hookLimits.hookMsMax && hookLimits.hookMsMax <= 1_000)
  assert.equal(hookMsLeft(60_000, 0), 1_000)
  assert.equal(hookMsLeft(60_000, 300), 700)
  assert.equal(hookMsLeft(900, 300), 600)
  assert.equal(hookMsLeft(900, 2_000), 0)
  assert.equal(hookMsLeft(-5, 0), 0)
})
