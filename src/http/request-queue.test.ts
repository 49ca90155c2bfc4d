import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { limits } from '../core/limits.ts'
import { contextOf, newTraceScope } from '../telemetry/trace-scope.ts'
import { createRequestQueue, type RequestQueueRules } from './request-queue.ts'

/** After everything that was scheduled for the next turn of the event loop, also by promises that are settled now. */
async function nextTurn(): Promise<void> {
  for (let n = 0; n < 5; n++) await null
  await new Promise((resolve) => setImmediate(resolve))
}

/** Handlers that are noted as they start and never end, so that only their start is seen. */
function createQueue(rules: RequestQueueRules = {}) {
  const clock = { now: 0 }
  const queue = createRequestQueue({ slots: 2, now: () => clock.now, ...rules })
  const began: string[] = []
  const handle = (tenantId: string, takesMs = 0) => {
    const request = { principal: { tenantId }, traceScope: newTraceScope(contextOf(undefined, undefined)) }
    void queue.handle(request as unknown as FastifyRequest, () => {
      began.push(tenantId)
      clock.now += takesMs
      return new Promise<void>(() => {})
    })
    return request.traceScope
  }
  return { queue, clock, began, handle }
}

test('few requests start in one turn of the event loop, also if the ones before them have not ended', async () => {
  const { queue, began, handle } = createQueue()
  for (let n = 0; n < 6; n++) handle('busy')
  await Promise.resolve()
  assert.deepEqual([began.length, queue.waiting()], [2, 4])
  await nextTurn()
  assert.deepEqual([began.length, queue.waiting()], [4, 2])
  await nextTurn()
  assert.deepEqual([began.length, queue.waiting()], [6, 0])
})

test('a request of another tenant starts in the next turn, however many requests of a busy tenant wait', async () => {
  const { began, handle } = createQueue()
  for (let n = 0; n < 500; n++) handle('busy')
  await nextTurn()
  const before = began.length
  handle('quiet')
  await nextTurn()
  assert.ok(began.slice(before, before + 2).includes('quiet'), began.slice(before).join(' '))
})

test('after a turn of slow requests the next ones start a turn later', async () => {
  const { began, handle } = createQueue()
  for (let n = 0; n < 6; n++) handle('busy', limits.requestTurnMs)
  await nextTurn()
  assert.equal(began.length, 3, 'the first of this turn took all of its time')
  await nextTurn()
  assert.equal(began.length, 4)
  for (let n = 0; n < 2; n++) await nextTurn()
  assert.equal(began.length, 6)
})

test('the time in the queue is added to the scope of the request', async () => {
  const { clock, handle } = createQueue({ slots: 1 })
  handle('busy')
  const scope = handle('busy')
  clock.now += 3
  await nextTurn()
  assert.equal(scope.requestQueueMs, 3)
})

test('a tenant has at most its quota of requests in flight, waiting ones included, and one that ends makes room', async () => {
  const queue = createRequestQueue({ slots: 1, inFlightMax: (tenantId) => (tenantId === 'busy' ? 2 : 9) })
  const ends: (() => void)[] = []
  const handle = (tenantId: string) =>
    queue.handle(
      { principal: { tenantId } } as unknown as FastifyRequest,
      () => new Promise<void>((end) => ends.push(end)),
    )
  const first = handle('busy')
  const second = handle('busy')
  const details = { quota: 'requestsInFlight', used: 2, limit: 2 }
  await assert.rejects(handle('busy'), { code: 'quota_exceeded', details })
  const other = handle('quiet')
  assert.deepEqual([queue.inFlightOf('busy'), queue.inFlightOf('quiet')], [2, 1])
  for (let n = 0; n < 3; n++) await nextTurn()
  for (const end of ends) end()
  await Promise.all([first, second, other])
  assert.deepEqual([queue.inFlightOf('busy'), queue.inFlightOf('quiet')], [0, 0])
})

test('the queue is busy while requests are answered and a moment after', async () => {
  const { queue, clock } = createQueue()
  assert.equal(queue.isBusy(), false)
  const request = { principal: { tenantId: 'acme' }, traceScope: newTraceScope(contextOf(undefined, undefined)) }
  await queue.handle(request as unknown as FastifyRequest, async () => assert.equal(queue.isBusy(), true))
  assert.equal(queue.isBusy(), true)
  clock.now += limits.requestFollowsMs
  assert.equal(queue.isBusy(), false)
})
