import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { FairSemaphore, type QueueLimits } from './fair-semaphore.ts'

const roomy = { queueMax: 1_000, queuePerTenantMax: 1_000, waitMs: 60_000 }

/** A semaphore whose calls end when the test ends them. */
function createSemaphore(slots: number, given: QueueLimits = roomy) {
  const semaphore = new FairSemaphore('database', slots, given)
  const began: string[] = []
  const running: (() => void)[] = []
  const call = (tenant: string) =>
    semaphore.run(tenant, () => {
      began.push(tenant)
      return new Promise<void>((end) => running.push(end))
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  /** Ends the oldest running call and lets the next start. */
  const endOne = async () => {
    running.shift()?.()
    await settle()
  }
  const endAll = async () => {
    await settle()
    while (running.length > 0) await endOne()
  }
  return { semaphore, began, call, settle, endOne, endAll }
}

const limitOf = (limit: string, max: number) => (error: unknown) =>
  isColophonError(error, 'overloaded') && error.details.limit === limit && error.details.max === max

describe('fair semaphore', () => {
  test('a tenant that is alone gets every slot, and calls of another tenant the next one', async () => {
    const { began, call, settle, endOne, endAll, semaphore } = createSemaphore(4)
    for (let n = 0; n < 6; n++) void call('busy')
    await settle()
    assert.deepEqual([began.length, semaphore.waiting], [4, 2])
    void call('quiet')
    await endOne()
    assert.deepEqual(began.slice(4), ['quiet'])
    await endAll()
    assert.deepEqual([began.length, semaphore.waiting], [7, 0])
  })

  test('a tenant with too many waiting calls is refused; other tenants are not', async () => {
    const { call, endAll } = createSemaphore(1, { ...roomy, queuePerTenantMax: 2, queueMax: 4 })
    for (let n = 0; n < 3; n++) void call('busy')
    await assert.rejects(call('busy'), limitOf('databaseQueuePerTenantMax', 2))
    void call('quiet')
    void call('quiet')
    await assert.rejects(call('third'), limitOf('databaseQueueMax', 4))
    await endAll()
  })

  test('a call that waits too long is refused and leaves the queue', async () => {
    const { began, call, settle, endOne, endAll } = createSemaphore(1, { ...roomy, waitMs: 1, queueMax: 1 })
    void call('slow')
    await assert.rejects(call('busy'), limitOf('databaseWaitMs', 1))
    await assert.rejects(call('busy'), limitOf('databaseWaitMs', 1))
    await endOne()
    void call('busy')
    await settle()
    assert.deepEqual(began, ['slow', 'busy'])
    await endAll()
  })

  test('a call that fails frees its slot', async () => {
    const semaphore = new FairSemaphore('database', 1)
    await assert.rejects(
      semaphore.run('a', () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await semaphore.run('b', async () => 'yes'), 'yes')
  })

  test('the limits are those of the resource', async () => {
    const semaphore = new FairSemaphore('request', 1)
    const calls = Array.from({ length: limits.requestQueuePerTenantMax + 2 }, () => semaphore.acquire('busy'))
    const max = limits.requestQueuePerTenantMax
    await assert.rejects(calls.pop() ?? Promise.resolve(), limitOf('requestQueuePerTenantMax', max))
    for (const _ of calls) semaphore.release('busy')
    await Promise.all(calls)
  })
})
