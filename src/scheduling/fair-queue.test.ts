import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isColophonError } from '../core/errors.ts'
import { atTheDoor, type TurnLimits, Turns } from './fair-queue.ts'

const roomy = { queueMax: 1_000, queuePerTenantMax: 1_000, waitMs: 60_000 }
const share = 2

/** Work that ends when the test says so, and tells when it begins. */
function workshop(places: number, given: TurnLimits = roomy) {
  const clock = { now: 0 }
  const turns = new Turns({ of: 'database', places, share, limits: given, now: () => clock.now })
  const began: string[] = []
  const running: { tenant: string; end: () => void }[] = []
  const ask = (tenant: string, kind = 'reads') =>
    turns.run(tenant, kind, () => {
      began.push(tenant)
      return new Promise<void>((end) => running.push({ tenant, end }))
    })
  /** Ends the oldest work under way and lets the next begin. */
  const endOne = async () => {
    running.shift()?.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const endAll = async () => {
    while (running.length > 0) await endOne()
  }
  const heldBy = (tenant: string) => running.filter((work) => work.tenant === tenant).length
  return { turns, clock, began, running, ask, endOne, endAll, heldBy }
}

const limitOf = (limit: string) => (error: unknown) =>
  isColophonError(error, 'overloaded') && error.details.limit === limit

describe('turns at the database', () => {
  test('one tenant that is alone has every place', async () => {
    const { began, ask, endAll } = workshop(4)
    for (let n = 0; n < 6; n++) void ask('hot')
    assert.equal(began.length, 4)
    await endAll()
    assert.equal(began.length, 6)
  })

  test('a call of a quiet tenant takes the next place, however many of another wait', async () => {
    const { began, ask, endOne, endAll } = workshop(4)
    for (let n = 0; n < 500; n++) void ask('hot')
    void ask('quiet')
    await endOne()
    assert.deepEqual(began.slice(4), ['quiet'])
    await endAll()
    assert.equal(began.length, 501)
  })

  test('from then on a place is free for the next call of the quiet one, until it has been silent for a while', async () => {
    const { clock, ask, endOne, endAll, heldBy, began } = workshop(8)
    for (let n = 0; n < 100; n++) void ask('hot')
    void ask('quiet')
    for (let n = 0; n < 20; n++) await endOne()
    assert.equal(heldBy('hot'), share)
    for (let n = 0; n < 3; n++) {
      void ask('quiet')
      assert.equal(began.at(-1), 'quiet', 'it began at once')
      for (let k = 0; k < 6; k++) await endOne()
    }
    clock.now += 1_000
    void ask('hot')
    await endOne()
    assert.equal(heldBy('hot'), 8)
    await endAll()
  })

  test('tenants that all ask for much have equally many places, and the host is not held back', async () => {
    const { ask, endOne, endAll, heldBy } = workshop(9)
    for (let n = 0; n < 50; n++) for (const tenant of ['a', 'b', 'c']) void ask(tenant)
    for (let n = 0; n < 3; n++) void ask('')
    for (let n = 0; n < 20; n++) await endOne()
    assert.deepEqual(['a', 'b', 'c'].map(heldBy), [share, share, share])
    for (let n = 0; n < 3; n++) void ask('')
    assert.equal(heldBy(''), 3)
    await endAll()
  })

  test('who has too many waiting is refused; others are not', async () => {
    const { ask, endAll } = workshop(1, { ...roomy, queuePerTenantMax: 2, queueMax: 4 })
    for (let n = 0; n < 3; n++) void ask('hot')
    await assert.rejects(ask('hot'), limitOf('databaseQueuePerTenantMax'))
    void ask('quiet')
    void ask('quiet')
    await assert.rejects(ask('third'), limitOf('databaseQueueMax'))
    await endAll()
  })

  test('keys that were made up hold nobody back, and do not stand before the calls of the tenant they name', async () => {
    const { began, ask, endAll, heldBy } = workshop(8, { ...roomy, queuePerTenantMax: 2 })
    for (let n = 0; n < 4; n++) void ask(`made-up-${n}`, atTheDoor)
    for (let n = 0; n < 4; n++) void ask('hot')
    assert.equal(heldBy('hot'), 4, 'more than its share, for nobody else really asks')
    for (let n = 0; n < 2; n++) void ask('hot', atTheDoor)
    await assert.rejects(ask('hot', atTheDoor), limitOf('databaseQueuePerTenantMax'))
    void ask('hot')
    assert.equal(began.length, 8)
    await endAll()
    assert.equal(began.length, 11)
  })

  test('who waits too long is refused, and its place in the line is free again', async () => {
    const { began, ask, endOne, endAll } = workshop(1, { ...roomy, waitMs: 1, queueMax: 1 })
    void ask('slow')
    await assert.rejects(ask('hot'), limitOf('databaseWaitMs'))
    await assert.rejects(ask('hot'), limitOf('databaseWaitMs'))
    await endOne()
    void ask('hot')
    assert.deepEqual(began, ['slow', 'hot'])
    await endAll()
  })

  test('who was refused at once has left no line behind that stands before others', async () => {
    const { began, ask, endOne, endAll } = workshop(1, { ...roomy, queueMax: 2 })
    for (const tenant of ['slow', 'a', 'b']) void ask(tenant)
    await assert.rejects(ask('refused'), limitOf('databaseQueueMax'))
    await endOne()
    await endOne()
    void ask('first')
    void ask('refused')
    await endAll()
    assert.deepEqual(began, ['slow', 'a', 'b', 'first', 'refused'])
  })

  test('who leaves before its work ends, or holds its place for too long, lets the next begin once', async () => {
    for (const [holdMs, leavesItself] of [
      [1, false],
      [60_000, true],
    ] as const) {
      const turns = new Turns({ of: 'request', places: null, share: 1, holdMs, limits: roomy, now: () => 0 })
      await turns.run('quiet', 'requests', async () => {})
      const first = Promise.withResolvers<void>()
      const second = Promise.withResolvers<void>()
      const began = Promise.withResolvers<void>()
      const working = turns.run('hot', 'requests', (leave) => {
        if (leavesItself) leave()
        leave()
        return first.promise
      })
      const next = turns.run('hot', 'requests', () => {
        began.resolve()
        return second.promise
      })
      await began.promise
      first.resolve()
      await working
      second.resolve()
      await next
      assert.equal(turns.waiting, 0)
    }
  })

  test('where places are not counted, the share alone bounds a tenant, and only while another asks', async () => {
    const clock = { now: 0 }
    const rules = { of: 'request', places: null, share, limits: roomy, inBursts: true, now: () => clock.now } as const
    const turns = new Turns(rules)
    const ends: (() => void)[] = []
    const ask = (tenant: string) => turns.run(tenant, 'requests', () => new Promise<void>((end) => ends.push(end)))
    for (let n = 0; n < 10; n++) void ask('hot')
    assert.equal(ends.length, 10, 'alone')
    void ask('quiet')
    for (let n = 0; n < 10; n++) void ask('hot')
    for (let n = 0; n < 3; n++) void ask('third')
    assert.deepEqual([ends.length, turns.waiting], [11 + share, 11])
    const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))
    ends.shift()?.()
    await turnOfLoop()
    assert.equal(ends.length, 10 + share, 'it still holds more than its share')
    clock.now += 1_000
    ends.shift()?.()
    await turnOfLoop()
    assert.equal(turns.waiting, 1, 'nobody else has asked for a while, so all of its own begin')
    while (ends.length > 0) {
      ends.shift()?.()
      await turnOfLoop()
    }
    assert.equal(turns.waiting, 0)
  })

  test('in bursts the share begins together, and the next when all of it has left and the line has rested', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const clock = { now: 0 }
    const rules = { of: 'request', places: null, share, holdMs: 60_000, inBursts: true, limits: roomy } as const
    const turns = new Turns({ ...rules, now: () => clock.now })
    await turns.run('quiet', 'requests', async () => {})
    const ends: (() => void)[] = []
    const asked = Array.from({ length: 6 }, () =>
      turns.run('hot', 'requests', () => {
        return new Promise<void>((end) => ends.push(end))
      }),
    )
    const turnOfLoop = async () => {
      for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(ends.length, 2)
    ends.shift()?.()
    await turnOfLoop()
    assert.deepEqual([ends.length, turns.waiting], [1, 4], 'the other half of its share is still at work')
    ends.shift()?.()
    await turnOfLoop()
    assert.deepEqual([ends.length, turns.waiting], [2, 2], 'it took no time, so there is no rest')
    clock.now += 50
    for (const end of ends.splice(0)) end()
    await turnOfLoop()
    assert.deepEqual([ends.length, turns.waiting], [0, 2], 'it rests')
    await turns.run('quiet', 'requests', async () => {})
    assert.equal(turns.waiting, 2, 'while the other has its turn')
    t.mock.timers.tick(49)
    assert.equal(turns.waiting, 2)
    t.mock.timers.tick(1)
    await turnOfLoop()
    assert.deepEqual([ends.length, turns.waiting], [2, 0])
    for (const end of ends) end()
    await Promise.all(asked)
  })

  test('a line does not rest while another waits too', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const clock = { now: 0 }
    const rules = { of: 'request', places: null, share: 1, holdMs: 60_000, inBursts: true, limits: roomy } as const
    const turns = new Turns({ ...rules, now: () => clock.now })
    const ends: (() => void)[] = []
    const ask = (tenant: string) => turns.run(tenant, 'requests', () => new Promise<void>((end) => ends.push(end)))
    const asked = ['a', 'b', 'a', 'b', 'a', 'b'].map(ask)
    clock.now += 50
    for (let n = 0; n < 6; n++) {
      ends[n]?.()
      // The last of a line is alone with its wait: it rests, and only then is time needed.
      t.mock.timers.tick(50)
      await asked[n]
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
      if (n === 0) assert.deepEqual([ends.length, turns.waiting], [3, 3], 'at once')
    }
    assert.equal(turns.waiting, 0)
  })

  test('a line that was busy for hours before another tenant asked does not rest for hours', async () => {
    const clock = { now: 0 }
    const rules = { of: 'request', places: null, share: 1, holdMs: 1, inBursts: true, limits: roomy } as const
    const turns = new Turns({ ...rules, now: () => clock.now })
    const first = turns.run('hot', 'requests', async (leave) => {
      clock.now += 10_000_000
      void turns.run('quiet', 'requests', async () => {})
      leave()
    })
    const second = turns.run('hot', 'requests', async () => {})
    await Promise.all([first, second])
  })

  test('who asks elsewhere counts like who asks here, for a moment', () => {
    const clock = { now: 0 }
    const turns = new Turns({ of: 'request', places: null, share, limits: roomy, now: () => clock.now })
    const ends: (() => void)[] = []
    const ask = () => void turns.run('hot', 'requests', () => new Promise<void>((end) => ends.push(end)))
    const askTimes = (count: number) => {
      for (let n = 0; n < count; n++) ask()
    }
    turns.hear(new Map([['hot', 1]]))
    askTimes(5)
    assert.equal(ends.length, 5, 'the same tenant elsewhere is no reason')
    turns.hear(
      new Map([
        ['hot', 1],
        ['quiet', 1],
      ]),
    )
    askTimes(2)
    assert.deepEqual([ends.length, turns.waiting], [5, 2])
    clock.now += 1_000
    askTimes(1)
    assert.equal(turns.waiting, 3, 'it waits behind its own until one of them ends')
    assert.deepEqual(turns.asking(), ['hot'])
    clock.now += 1_000
    assert.deepEqual(turns.asking(), [])
    for (const end of ends) end()
  })

  test('who asks several processes has its share of all together, and one place in each', async () => {
    for (const [others, places] of [
      [0, 4],
      [1, 2],
      [2, 1],
      [100, 1],
    ] as const) {
      const turns = new Turns({ of: 'request', places: null, share: 4, limits: roomy, now: () => 0 })
      turns.hear(
        new Map([
          ['quiet', 1],
          ['hot', others],
        ]),
      )
      const ends: (() => void)[] = []
      const asked = Array.from({ length: 9 }, () =>
        turns.run('hot', 'requests', () => new Promise<void>((end) => ends.push(end))),
      )
      assert.deepEqual([ends.length, turns.waiting], [places, 9 - places])
      for (let n = 0; n < 9; n++) {
        ends[n]?.()
        await asked[n]
      }
    }
  })

  test('two of those who asked last are told', async () => {
    const { ask, endAll, turns } = workshop(8)
    for (const tenant of ['a', 'b', 'c', 'a']) void ask(tenant)
    void ask('')
    assert.deepEqual(turns.asking(), ['c', 'a'])
    await endAll()
  })

  test('work that fails gives its place back', async () => {
    const turns = new Turns({ of: 'database', places: 1, share: 1, limits: roomy })
    await assert.rejects(
      turns.run('a', 'reads', () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await turns.run('b', 'reads', async () => 'yes'), 'yes')
  })

  test('whatever is asked and ended, no place is lost and everybody has a turn', async () => {
    const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c', '', null), passes: fc.constantFrom(0, 400) })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (places, steps) => {
        const { clock, began, running, ask, endOne, endAll } = workshop(places)
        let asked = 0
        for (const { tenant, passes } of steps) {
          clock.now += passes
          if (tenant === null) await endOne()
          else {
            asked += 1
            void ask(tenant)
          }
          assert.ok(running.length <= places)
          assert.ok(running.length > 0 || began.length === asked, 'nobody works while somebody waits')
        }
        await endAll()
        assert.equal(began.length, asked)
      }),
      { numRuns: 100 },
    )
  })
})
