import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimit } from './rate-limit.ts'

function openLimit(callsMax: number) {
  const clock = { now: 1_000 }
  return { clock, count: createRateLimit(callsMax, () => clock.now) }
}

test('calls up to the limit pass; the next one waits for the end of the minute that began with the first', () => {
  const { clock, count } = openLimit(2)
  assert.equal(count('a'), 0)
  clock.now += 10_000
  assert.deepEqual([count('a'), count('a')], [0, 50_000])
  clock.now += 49_999
  assert.equal(count('a'), 1)
  clock.now += 1
  assert.deepEqual([count('a'), count('a'), count('a')], [0, 0, 60_000])
})

test('calls that were refused do not extend the wait', () => {
  const { clock, count } = openLimit(1)
  count('a')
  for (let n = 0; n < 100; n++) assert.equal(count('a'), 60_000)
  clock.now += 60_000
  assert.equal(count('a'), 0)
})

test('each key is counted for itself', () => {
  const { count } = openLimit(1)
  assert.deepEqual([count('a'), count('b'), count('a'), count('b')], [0, 0, 60_000, 60_000])
})

test('a limit of 0 is no limit', () => {
  const { count } = openLimit(0)
  for (let n = 0; n < 1_000; n++) assert.equal(count('a'), 0)
})

test('the number of keys that are counted is bounded', () => {
  const { count } = openLimit(1)
  count('a')
  for (let n = 0; n < 100_000; n++) count(`key-${n}`)
  assert.equal(count('a'), 0)
})
