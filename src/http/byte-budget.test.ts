import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteBudget } from './byte-budget.ts'

test('a key may send a limited number of bytes per hour, and then waits for the next hour', () => {
  let now = 0
  const budget = createByteBudget(100, () => now)
  assert.equal(budget.take('a', 60), 0)
  now = 1_000
  assert.equal(budget.take('a', 41), 3_599_000)
  assert.equal(budget.take('a', 40), 0)
  assert.equal(budget.take('a', 0), 3_599_000)
  assert.equal(budget.take('b', 100), 0)
  now = 3_600_000
  assert.equal(budget.take('a', 100), 0)
})

test('one body that exceeds the hourly limit passes alone, and its bytes count', () => {
  const budget = createByteBudget(100, () => 0)
  assert.equal(budget.take('a', 500), 0)
  assert.ok(budget.take('a', 1) > 0)
  budget.add('b', 100)
  assert.ok(budget.take('b', 1) > 0)
})
