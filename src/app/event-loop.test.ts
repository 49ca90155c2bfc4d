import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../test/support/count-turns.ts'
import { mapInGroups } from './event-loop.ts'

test('a long list is mapped in order, few items at a time, and other work has turns in between', async () => {
  const items = Array.from({ length: 100 }, (_, at) => at)
  let [running, most] = [0, 0]
  const mapping = () =>
    mapInGroups(items, async (item) => {
      most = Math.max(most, ++running)
      await null
      const until = performance.now() + 1
      while (performance.now() < until);
      running -= 1
      return item * 2
    })
  const { result: mapped, turns } = await countTurns(mapping)
  assert.deepEqual(
    mapped,
    items.map((item) => item * 2),
  )
  assert.equal(most, 16)
  assert.ok(turns >= 5, `${turns} turns`)
  assert.deepEqual(await mapInGroups([], async () => 1), [])
})
