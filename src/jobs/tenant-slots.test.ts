import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TenantSlots } from './tenant-slots.ts'

function take(used: TenantSlots, tenantId: string, count: number) {
  for (let n = 0; n < count; n++) used.add(tenantId)
}

test('one tenant may use all slots but one of every eight', () => {
  const maxOf = (slots: number) => {
    const used = new TenantSlots(slots)
    let count = 0
    for (; used.mayTakeMore('hot'); count++) used.add('hot')
    return count
  }
  const sizes = [1, 2, 7, 8, 15, 16, 20, 1_000]
  assert.deepEqual(sizes.map(maxOf), [1, 2, 7, 7, 14, 14, 18, 875])
})

test('the slots of one tenant do not count for another', () => {
  const used = new TenantSlots(2)
  take(used, 'hot', 2)
  assert.deepEqual([used.mayTakeMore('hot'), used.mayTakeMore('quiet')], [false, true])
})

test('tenants that use their whole share are listed until one of their slots is freed', () => {
  const used = new TenantSlots(8)
  assert.deepEqual(used.full(), [])
  take(used, 'hot', 7)
  take(used, 'quiet', 6)
  assert.deepEqual(used.full(), ['hot'])
  used.remove('hot')
  assert.deepEqual(used.full(), [])
  take(used, 'quiet', 1)
  assert.deepEqual(used.full(), ['quiet'])
})

test('a slot that is freed twice is counted once', () => {
  const used = new TenantSlots(1)
  used.add('hot')
  for (let n = 0; n < 3; n++) used.remove('hot')
  assert.equal(used.mayTakeMore('hot'), true)
  used.add('hot')
  assert.equal(used.mayTakeMore('hot'), false)
})
