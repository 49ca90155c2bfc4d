import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../core/limits.ts'
import { Watch } from './watch.ts'

type ReadPositions = ConstructorParameters<typeof Watch>[0]

/** Whether a wait has resolved, after all pending timers and promises have run. */
async function hasResolved(waiting: Promise<void>): Promise<boolean> {
  const still = new Promise<'still'>((resolve) => setImmediate(resolve, 'still'))
  return (await Promise.race([waiting, still])) !== 'still'
}

const nothing: ReadPositions = async () => new Map()

test('a waiter is woken by a later position of its own key only', async () => {
  const watch = new Watch(nothing)
  const waiting = watch.wait('acme', 5, undefined)
  watch.notify('acme', 5)
  watch.notify('globex', 9)
  assert.equal(await hasResolved(waiting), false)
  watch.notify('acme', 6)
  assert.equal(await hasResolved(waiting), true)
  watch.close()
})

test('a waiter is woken when its signal aborts, and at once when that has happened before', async () => {
  const watch = new Watch(nothing)
  const stop = new AbortController()
  const waiting = watch.wait('acme', 0, stop.signal)
  assert.equal(await hasResolved(waiting), false)
  stop.abort()
  assert.equal(await hasResolved(waiting), true)
  assert.equal(await hasResolved(watch.wait('acme', 0, stop.signal)), true)
  watch.close()
})

test('closing wakes every waiter, and later ones do not wait', async () => {
  const watch = new Watch(nothing)
  const waiting = ['acme', 'acme', 'globex'].map((key) => watch.wait(key, 0, undefined))
  watch.close()
  await Promise.all(waiting)
  assert.equal(await hasResolved(watch.wait('acme', 0, undefined)), true)
})

test('commits of other processes are found by one query for all keys with waiters', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const queries: string[][] = []
  const stored = new Map([['globex', 3]])
  const watch = new Watch(async (keys) => {
    queries.push([...keys])
    return stored
  })
  const acme = watch.wait('acme', 0, undefined)
  const globex = watch.wait('globex', 2, undefined)
  t.mock.timers.tick(limits.changePollMs - 1)
  assert.deepEqual(queries, [])
  t.mock.timers.tick(1)
  assert.deepEqual(queries, [['acme', 'globex']])
  assert.deepEqual([await hasResolved(globex), await hasResolved(acme)], [true, false])
  t.mock.timers.tick(limits.changePollMs)
  assert.deepEqual(queries.at(-1), ['acme'])
  watch.close()
})

test('a query that fails is repeated', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let queries = 0
  const watch = new Watch(async () => {
    queries += 1
    if (queries === 1) throw new Error('the database is unavailable')
    return new Map([['acme', 1]])
  })
  const waiting = watch.wait('acme', 0, undefined)
  t.mock.timers.tick(limits.changePollMs)
  assert.equal(await hasResolved(waiting), false)
  t.mock.timers.tick(limits.changePollMs)
  assert.equal(await hasResolved(waiting), true)
  watch.close()
})

test('without waiters there is no query', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let queries = 0
  const watch = new Watch(async () => {
    queries += 1
    return new Map([['acme', 1]])
  })
  t.mock.timers.tick(10 * limits.changePollMs)
  assert.equal(queries, 0)
  const waiting = watch.wait('acme', 0, undefined)
  t.mock.timers.tick(limits.changePollMs)
  assert.equal(await hasResolved(waiting), true)
  for (let n = 0; n < 3; n++) {
    t.mock.timers.tick(limits.changePollMs)
    await hasResolved(Promise.resolve())
  }
  assert.equal(queries, 1)
})
