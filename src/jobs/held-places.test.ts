import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldPlaces } from './held-places.ts'

function take(held: HeldPlaces, tenantId: string, count: number) {
  for (let n = 0; n < count; n++) held.add(tenantId)
}

test('one tenant may hold all places but one of every eight', () => {
  const maxOf = (places: number) => {
    const held = new HeldPlaces(places)
    let count = 0
    for (; held.mayTakeMore('hot'); count++) held.add('hot')
    return count
  }
  const sizes = [1, 2, 7, 8, 15, 16, 20, 1_000]
  assert.deepEqual(sizes.map(maxOf), [1, 2, 7, 7, 14, 14, 18, 875])
})

test('the places of one tenant do not count for another', () => {
  const held = new HeldPlaces(2)
  take(held, 'hot', 2)
  assert.deepEqual([held.mayTakeMore('hot'), held.mayTakeMore('quiet')], [false, true])
})

test('the tenants that hold their share are listed until one of their places is returned', () => {
  const held = new HeldPlaces(8)
  assert.deepEqual(held.full(), [])
  take(held, 'hot', 7)
  take(held, 'quiet', 6)
  assert.deepEqual(held.full(), ['hot'])
  held.remove('hot')
  assert.deepEqual(held.full(), [])
  take(held, 'quiet', 1)
  assert.deepEqual(held.full(), ['quiet'])
})

test('a place that is returned twice is not counted twice', () => {
  const held = new HeldPlaces(1)
  held.add('hot')
  for (let n = 0; n < 3; n++) held.remove('hot')
  assert.equal(held.mayTakeMore('hot'), true)
  held.add('hot')
  assert.equal(held.mayTakeMore('hot'), false)
})
