import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapInGroups } from './event-loop.ts'

test('a long list is mapped in order, few items at a time, and other work has turns in between', async () => {
  const items = Array.from({ length: 100 }, (_, at) => at)
  let [running, most, turns] = [0, 0, 0]
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const mapped = await mapInGroups(items, async (item) => {
    most = Math.max(most, ++running)
    await null
    const until = performance.now() + 1
    while (performance.now() < until);
    running -= 1
    return item * 2
  })
  isDone = true
  assert.deepEqual(
    mapped,
    items.map((item) => item * 2),
  )
  assert.equal(most, 16)
  assert.ok(turns >= 5, `${turns} turns`)
  assert.deepEqual(await mapInGroups([], async () => 1), [])
})
