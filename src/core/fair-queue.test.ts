import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FairQueue } from './fair-queue.ts'

const tenants = ['a', 'b', 'c', 'd']

type Step = { readonly kind: 'enqueue' | 'start' | 'release' | 'remove'; readonly tenant: string }

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>('enqueue', 'enqueue', 'start', 'start', 'release', 'remove'),
    tenant: fc.constantFrom(...tenants),
  }),
  { maxLength: 80 },
)
const slotCounts = fc.integer({ min: 1, max: 5 })

/** A queue beside lists that say what it should contain. Items are numbered in the order in which they came. */
function createChecked(slots: number) {
  const queue = new FairQueue<number>(slots)
  const waiting = new Map<string, number[]>(tenants.map((tenant) => [tenant, []]))
  const running: string[] = []
  let last = 0
  const waitingOf = (tenant: string) => waiting.get(tenant) ?? []
  const runningOf = (tenant: string) => running.filter((one) => one === tenant).length
  const allWaiting = () => tenants.flatMap(waitingOf).length
  const start = () => {
    const before = new Map(tenants.map((tenant) => [tenant, runningOf(tenant)]))
    const started = queue.start()
    if (started === null) {
      assert.ok(running.length === slots || allWaiting() === 0, 'a slot is free only if no item waits')
      return null
    }
    const { tenant, item } = started
    for (const other of tenants.filter((one) => waitingOf(one).length > 0))
      assert.ok((before.get(tenant) ?? 0) <= (before.get(other) ?? 0), `${other} waits and uses fewer slots`)
    assert.equal(item, waitingOf(tenant).shift(), 'items of a tenant start in order')
    running.push(tenant)
    return tenant
  }
  const apply = ({ kind, tenant }: Step) => {
    if (kind === 'enqueue') {
      last += 1
      waitingOf(tenant).push(last)
      queue.enqueue(tenant, last)
    } else if (kind === 'release') {
      // Also when it uses none: then nothing changes.
      queue.release(tenant)
      if (running.includes(tenant)) running.splice(running.indexOf(tenant), 1)
    } else if (kind === 'remove') {
      const item = waitingOf(tenant).at(-1) ?? 0
      assert.equal(queue.remove(tenant, item), waitingOf(tenant).length > 0)
      waitingOf(tenant).pop()
    } else start()
    check()
  }
  const check = () => {
    assert.deepEqual([queue.free, queue.waiting], [slots - running.length, allWaiting()])
    for (const tenant of tenants)
      assert.deepEqual(
        [queue.waitingOf(tenant), queue.runningOf(tenant)],
        [waitingOf(tenant).length, runningOf(tenant)],
      )
    assert.ok(queue.free >= 0 && queue.free <= slots)
  }
  return { queue, apply, start, running, runningOf, waitingOf }
}

describe('fair queue', () => {
  test('a tenant that is alone uses every slot', () => {
    const queue = new FairQueue<number>(3)
    for (let n = 0; n < 5; n++) queue.enqueue('a', n)
    assert.deepEqual(
      [queue.start(), queue.start(), queue.start(), queue.start()].map((started) => started?.item),
      [0, 1, 2, undefined],
    )
  })

  test('the next free slot goes to the tenant that uses none, however many items of another tenant wait', () => {
    const queue = new FairQueue<string>(4)
    for (let n = 0; n < 500; n++) queue.enqueue('busy', 'busy')
    for (let n = 0; n < 4; n++) queue.start()
    queue.enqueue('quiet', 'quiet')
    assert.equal(queue.start(), null)
    queue.release('busy')
    assert.deepEqual(queue.start(), { tenant: 'quiet', item: 'quiet' })
  })

  test('a tenant with slow calls does not get more slots than one with quick calls', () => {
    const queue = new FairQueue<string>(8)
    for (let n = 0; n < 100; n++) for (const tenant of ['slow', 'quick']) queue.enqueue(tenant, tenant)
    while (queue.start() !== null);
    for (let n = 0; n < 50; n++) {
      queue.release('quick')
      assert.equal(queue.start()?.tenant, 'quick')
    }
    assert.deepEqual([queue.runningOf('slow'), queue.runningOf('quick')], [4, 4])
  })

  test('for any order of calls: no slot is free while an item waits, none goes to a tenant with more, items of a tenant keep their order', () => {
    fc.assert(
      fc.property(slotCounts, steps, (slots, given) => {
        const { apply } = createChecked(slots)
        for (const step of given) apply(step)
      }),
    )
  })

  test('a waiting tenant without a slot gets one after at most as many releases as tenants wait', () => {
    fc.assert(
      fc.property(slotCounts, steps, fc.infiniteStream(fc.nat()), (slots, given, choices) => {
        const { apply, start, running, runningOf, waitingOf } = createChecked(slots)
        for (const step of given) apply(step)
        while (start() !== null);
        for (const tenant of tenants.filter((one) => waitingOf(one).length > 0 && runningOf(one) === 0)) {
          let releases = 0
          const ahead = tenants.filter((one) => waitingOf(one).length > 0).length
          while (runningOf(tenant) === 0) {
            const [choice = 0] = choices.take(1)
            const released = running[choice % running.length] ?? ''
            apply({ kind: 'release', tenant: released })
            // The released tenant comes back at once, behind those that wait already.
            apply({ kind: 'enqueue', tenant: released })
            start()
            releases += 1
            assert.ok(releases <= ahead, `${tenant} still waits after ${releases} releases`)
          }
        }
      }),
    )
  })

  test('a tenant without items and slots is dropped, and an item that has started cannot be removed', () => {
    const queue = new FairQueue<number>(1)
    queue.enqueue('a', 1)
    queue.enqueue('b', 2)
    queue.start()
    assert.deepEqual([queue.remove('a', 1), queue.remove('b', 2), queue.remove('c', 3)], [false, true, false])
    queue.release('a')
    assert.deepEqual([queue.free, queue.waiting, queue.start()], [1, 0, null])
  })
})
