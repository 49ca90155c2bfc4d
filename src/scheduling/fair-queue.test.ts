import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isColophonError } from '../core/errors.ts'
import { beforeAuth, FairQueue, type FairQueueRules, type QueueLimits } from './fair-queue.ts'

const roomy = { queueMax: 1_000, queuePerTenantMax: 1_000, waitMs: 60_000 }
const share = 2

/** A queue whose calls end when the test ends them, and that records when they start. */
function createQueue(slots: number, given: QueueLimits = roomy) {
  const clock = { now: 0 }
  const queue = new FairQueue({ resource: 'database', slots: slots, share, limits: given, now: () => clock.now })
  const began: string[] = []
  const running: { tenant: string; end: () => void }[] = []
  const call = (tenant: string, kind = 'reads') =>
    queue.run(tenant, kind, () => {
      began.push(tenant)
      return new Promise<void>((end) => running.push({ tenant, end }))
    })
  /** Ends the oldest running call and lets the next start. */
  const endOne = async () => {
    running.shift()?.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const endAll = async () => {
    while (running.length > 0) await endOne()
  }
  const runningOf = (tenant: string) => running.filter((one) => one.tenant === tenant).length
  return { queue, clock, began, running, call, endOne, endAll, runningOf }
}

const limitOf = (limit: string) => (error: unknown) =>
  isColophonError(error, 'overloaded') && error.details.limit === limit

describe('fair queue', () => {
  test('a tenant that is alone gets every slot', async () => {
    const { began, call, endAll } = createQueue(4)
    for (let n = 0; n < 6; n++) void call('hot')
    assert.equal(began.length, 4)
    await endAll()
    assert.equal(began.length, 6)
  })

  test('a call of a quiet tenant gets the next free slot, however many calls of another tenant wait', async () => {
    const { began, call, endOne, endAll } = createQueue(4)
    for (let n = 0; n < 500; n++) void call('hot')
    void call('quiet')
    await endOne()
    assert.deepEqual(began.slice(4), ['quiet'])
    await endAll()
    assert.equal(began.length, 501)
  })

  test('a slot stays free for the next call of the quiet tenant, until that tenant has made no call for a while', async () => {
    const { clock, call, endOne, endAll, runningOf, began } = createQueue(8)
    for (let n = 0; n < 100; n++) void call('hot')
    void call('quiet')
    for (let n = 0; n < 20; n++) await endOne()
    assert.equal(runningOf('hot'), share)
    for (let n = 0; n < 3; n++) {
      void call('quiet')
      assert.equal(began.at(-1), 'quiet', 'it started at once')
      for (let k = 0; k < 6; k++) await endOne()
    }
    clock.now += 1_000
    void call('hot')
    await endOne()
    assert.equal(runningOf('hot'), 8)
    await endAll()
  })

  test('busy tenants get equally many slots, and calls of the host are not limited', async () => {
    const { call, endOne, endAll, runningOf } = createQueue(9)
    for (let n = 0; n < 50; n++) for (const tenant of ['a', 'b', 'c']) void call(tenant)
    for (let n = 0; n < 3; n++) void call('')
    for (let n = 0; n < 20; n++) await endOne()
    assert.deepEqual(['a', 'b', 'c'].map(runningOf), [share, share, share])
    for (let n = 0; n < 3; n++) void call('')
    assert.equal(runningOf(''), 3)
    await endAll()
  })

  test('a tenant with too many waiting calls is refused; other tenants are not', async () => {
    const { call, endAll } = createQueue(1, { ...roomy, queuePerTenantMax: 2, queueMax: 4 })
    for (let n = 0; n < 3; n++) void call('hot')
    await assert.rejects(call('hot'), limitOf('databaseQueuePerTenantMax'))
    void call('quiet')
    void call('quiet')
    await assert.rejects(call('third'), limitOf('databaseQueueMax'))
    await endAll()
  })

  test('calls before authentication do not limit any tenant, and do not delay the calls of the tenant that they name', async () => {
    const { began, call, endAll, runningOf } = createQueue(8, { ...roomy, queuePerTenantMax: 2 })
    for (let n = 0; n < 4; n++) void call(`invented-${n}`, beforeAuth)
    for (let n = 0; n < 4; n++) void call('hot')
    assert.equal(runningOf('hot'), 4, 'more than its share, because no other tenant is active')
    for (let n = 0; n < 2; n++) void call('hot', beforeAuth)
    await assert.rejects(call('hot', beforeAuth), limitOf('databaseQueuePerTenantMax'))
    void call('hot')
    assert.equal(began.length, 8)
    await endAll()
    assert.equal(began.length, 11)
  })

  test('a call that waits too long is refused and leaves the queue', async () => {
    const { began, call, endOne, endAll } = createQueue(1, { ...roomy, waitMs: 1, queueMax: 1 })
    void call('slow')
    await assert.rejects(call('hot'), limitOf('databaseWaitMs'))
    await assert.rejects(call('hot'), limitOf('databaseWaitMs'))
    await endOne()
    void call('hot')
    assert.deepEqual(began, ['slow', 'hot'])
    await endAll()
  })

  test('a refused call leaves no empty queue behind', async () => {
    const { began, call, endOne, endAll } = createQueue(1, { ...roomy, queueMax: 2 })
    for (const tenant of ['slow', 'a', 'b']) void call(tenant)
    await assert.rejects(call('refused'), limitOf('databaseQueueMax'))
    await endOne()
    await endOne()
    void call('first')
    void call('refused')
    await endAll()
    assert.deepEqual(began, ['slow', 'a', 'b', 'first', 'refused'])
  })

  test('a call that releases its slot early, or holds it for too long, lets the next call start once', async () => {
    for (const [holdMs, releasesEarly] of [
      [1, false],
      [60_000, true],
    ] as const) {
      const queue = new FairQueue({ resource: 'request', slots: null, share: 1, holdMs, limits: roomy, now: () => 0 })
      await queue.run('quiet', 'requests', async () => {})
      const first = Promise.withResolvers<void>()
      const second = Promise.withResolvers<void>()
      const began = Promise.withResolvers<void>()
      const working = queue.run('hot', 'requests', (release) => {
        if (releasesEarly) release()
        release()
        return first.promise
      })
      const next = queue.run('hot', 'requests', () => {
        began.resolve()
        return second.promise
      })
      await began.promise
      first.resolve()
      await working
      second.resolve()
      await next
      assert.equal(queue.waiting, 0)
    }
  })

  test('without a number of slots only the share limits a tenant, and only while another tenant is active', async () => {
    const clock = { now: 0 }
    const rules: FairQueueRules = {
      resource: 'request',
      slots: null,
      share,
      limits: roomy,
      inBursts: true,
      now: () => clock.now,
    }
    const queue = new FairQueue(rules)
    const ends: (() => void)[] = []
    const call = (tenant: string) => queue.run(tenant, 'requests', () => new Promise<void>((end) => ends.push(end)))
    for (let n = 0; n < 10; n++) void call('hot')
    assert.equal(ends.length, 10, 'alone')
    void call('quiet')
    for (let n = 0; n < 10; n++) void call('hot')
    for (let n = 0; n < 3; n++) void call('third')
    assert.deepEqual([ends.length, queue.waiting], [11 + share, 11])
    const nextLoop = () => new Promise((resolve) => setImmediate(resolve))
    ends.shift()?.()
    await nextLoop()
    assert.equal(ends.length, 10 + share, 'it still uses more than its share')
    clock.now += 1_000
    ends.shift()?.()
    await nextLoop()
    assert.equal(queue.waiting, 1, 'no other tenant was active for a while, so all of its calls start')
    while (ends.length > 0) {
      ends.shift()?.()
      await nextLoop()
    }
    assert.equal(queue.waiting, 0)
  })

  test('in bursts the share starts together, and the next burst starts after all of it has ended and the queue has paused', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const clock = { now: 0 }
    const rules: FairQueueRules = {
      resource: 'request',
      slots: null,
      share,
      holdMs: 60_000,
      inBursts: true,
      limits: roomy,
    }
    const queue = new FairQueue({ ...rules, now: () => clock.now })
    await queue.run('quiet', 'requests', async () => {})
    const ends: (() => void)[] = []
    const calls = Array.from({ length: 6 }, () =>
      queue.run('hot', 'requests', () => {
        return new Promise<void>((end) => ends.push(end))
      }),
    )
    const nextLoop = async () => {
      for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(ends.length, 2)
    ends.shift()?.()
    await nextLoop()
    assert.deepEqual([ends.length, queue.waiting], [1, 4], 'the other call of its share still runs')
    ends.shift()?.()
    await nextLoop()
    assert.deepEqual([ends.length, queue.waiting], [2, 2], 'it took no time, so there is no pause')
    clock.now += 50
    for (const end of ends.splice(0)) end()
    await nextLoop()
    assert.deepEqual([ends.length, queue.waiting], [0, 2], 'it pauses')
    await queue.run('quiet', 'requests', async () => {})
    assert.equal(queue.waiting, 2, 'while the other tenant runs')
    t.mock.timers.tick(49)
    assert.equal(queue.waiting, 2)
    t.mock.timers.tick(1)
    await nextLoop()
    assert.deepEqual([ends.length, queue.waiting], [2, 0])
    for (const end of ends) end()
    await Promise.all(calls)
  })

  test('a queue does not pause while calls of another tenant wait', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const clock = { now: 0 }
    const rules: FairQueueRules = {
      resource: 'request',
      slots: null,
      share: 1,
      holdMs: 60_000,
      inBursts: true,
      limits: roomy,
    }
    const queue = new FairQueue({ ...rules, now: () => clock.now })
    const ends: (() => void)[] = []
    const call = (tenant: string) => queue.run(tenant, 'requests', () => new Promise<void>((end) => ends.push(end)))
    const calls = ['a', 'b', 'a', 'b', 'a', 'b'].map(call)
    clock.now += 50
    for (let n = 0; n < 6; n++) {
      ends[n]?.()
      // The last call of a queue waits alone: only then does the queue pause.
      t.mock.timers.tick(50)
      await calls[n]
      for (let loop = 0; loop < 3; loop++) await new Promise((resolve) => setImmediate(resolve))
      if (n === 0) assert.deepEqual([ends.length, queue.waiting], [3, 3], 'at once')
    }
    assert.equal(queue.waiting, 0)
  })

  test('a queue that was busy for hours does not pause for hours', async () => {
    const clock = { now: 0 }
    const rules: FairQueueRules = {
      resource: 'request',
      slots: null,
      share: 1,
      holdMs: 1,
      inBursts: true,
      limits: roomy,
    }
    const queue = new FairQueue({ ...rules, now: () => clock.now })
    const first = queue.run('hot', 'requests', async (release) => {
      clock.now += 10_000_000
      void queue.run('quiet', 'requests', async () => {})
      release()
    })
    const second = queue.run('hot', 'requests', async () => {})
    await Promise.all([first, second])
  })

  test('a tenant that is active in another process counts as active, until that information expires', () => {
    const clock = { now: 0 }
    const queue = new FairQueue({ resource: 'request', slots: null, share, limits: roomy, now: () => clock.now })
    const ends: (() => void)[] = []
    const call = () => void queue.run('hot', 'requests', () => new Promise<void>((end) => ends.push(end)))
    const callTimes = (count: number) => {
      for (let n = 0; n < count; n++) call()
    }
    queue.setRemoteActivity(new Map([['hot', 1]]))
    callTimes(5)
    assert.equal(ends.length, 5, 'the same tenant in another process is no reason')
    queue.setRemoteActivity(
      new Map([
        ['hot', 1],
        ['quiet', 1],
      ]),
    )
    callTimes(2)
    assert.deepEqual([ends.length, queue.waiting], [5, 2])
    clock.now += 1_000
    callTimes(1)
    assert.equal(queue.waiting, 3, 'it waits behind the calls of its own tenant')
    assert.deepEqual(queue.activeTenants(), ['hot'])
    clock.now += 1_000
    assert.deepEqual(queue.activeTenants(), [])
    for (const end of ends) end()
  })

  test('a tenant that is active in several processes divides its share, with at least one slot in each', async () => {
    for (const [others, slots] of [
      [0, 4],
      [1, 2],
      [2, 1],
      [100, 1],
    ] as const) {
      const queue = new FairQueue({ resource: 'request', slots: null, share: 4, limits: roomy, now: () => 0 })
      queue.setRemoteActivity(
        new Map([
          ['quiet', 1],
          ['hot', others],
        ]),
      )
      const ends: (() => void)[] = []
      const calls = Array.from({ length: 9 }, () =>
        queue.run('hot', 'requests', () => new Promise<void>((end) => ends.push(end))),
      )
      assert.deepEqual([ends.length, queue.waiting], [slots, 9 - slots])
      for (let n = 0; n < 9; n++) {
        ends[n]?.()
        await calls[n]
      }
    }
  })

  test('the tenants of the last two calls are reported as active', async () => {
    const { call, endAll, queue } = createQueue(8)
    for (const tenant of ['a', 'b', 'c', 'a']) void call(tenant)
    void call('')
    assert.deepEqual(queue.activeTenants(), ['c', 'a'])
    await endAll()
  })

  test('a failed call frees its slot', async () => {
    const queue = new FairQueue({ resource: 'database', slots: 1, share: 1, limits: roomy })
    await assert.rejects(
      queue.run('a', 'reads', () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await queue.run('b', 'reads', async () => 'yes'), 'yes')
  })

  test('for any order of calls and ends, no slot is lost and every call runs', async () => {
    const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c', '', null), passes: fc.constantFrom(0, 400) })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (slots, steps) => {
        const { clock, began, running, call, endOne, endAll } = createQueue(slots)
        let calls = 0
        for (const { tenant, passes } of steps) {
          clock.now += passes
          if (tenant === null) await endOne()
          else {
            calls += 1
            void call(tenant)
          }
          assert.ok(running.length <= slots)
          assert.ok(running.length > 0 || began.length === calls, 'no slot is free while a call waits')
        }
        await endAll()
        assert.equal(began.length, calls)
      }),
      { numRuns: 100 },
    )
  })
})
