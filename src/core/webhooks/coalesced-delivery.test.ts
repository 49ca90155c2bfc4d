import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHostPayload } from '../jobs/host-job.ts'
import { limits } from '../limits.ts'
import { coalesce, type Delivery, mergeDeliveries } from './coalesced-delivery.ts'

const idOf = (prefix: string, number: number) => `${prefix}_019a8c5e-7d51-7c3a-9b1e-${String(number).padStart(12, '0')}`
const webhookId = idOf('wh', 1)
const of = (run: number, sequence: number, at: number) => coalesce({ webhookId, runId: idOf('run', run), sequence }, at)
const merge = (deliveries: readonly Delivery[]) =>
  deliveries.reduce<Delivery | undefined>(mergeDeliveries, undefined) as Delivery

test('a merged delivery has the newest event, the count, the instants and the sequences to read', () => {
  const { coalesced, ...event } = merge([of(1, 3, 10), of(2, 0, 20), of(1, 4, 30), of(1, 9, 40)])
  assert.deepEqual(event, { webhookId, runId: idOf('run', 1), sequence: 9 })
  assert.deepEqual(coalesced, {
    ...{ count: 4, since: 10, until: 40, hasMoreRuns: false },
    ranges: [
      { runId: idOf('run', 1), fromSequence: 3, toSequence: 9 },
      { runId: idOf('run', 2), fromSequence: 0, toSequence: 0 },
    ],
  })
})

test('a merged delivery names at most webhookCoalescedRunsMax runs and says that there are more', () => {
  const many = Array.from({ length: limits.webhookCoalescedRunsMax }, (_, run) => of(run, 0, run))
  assert.equal(merge(many).coalesced?.hasMoreRuns, false)
  const more = merge([...many, of(many.length, 0, 500), of(0, 7, 501)]).coalesced
  assert.deepEqual([more?.count, more?.ranges.length, more?.hasMoreRuns], [many.length + 2, many.length, true])
  assert.deepEqual(more?.ranges[0], { runId: idOf('run', 0), fromSequence: 0, toSequence: 7 })
  assert.equal(merge([of(0, 0, 0), merge([...many, of(many.length, 0, 0)])]).coalesced?.hasMoreRuns, true)
})

test('the payload of a delivery contains only ids of the host', () => {
  const payload = { ...merge([of(1, 3, 10), of(2, 0, 20)]), later: of(3, 0, 30) }
  assert.ok(isHostPayload('colophon.webhook', payload))
  assert.ok(!isHostPayload('colophon.webhook', { ...payload, later: { ...of(3, 0, 30), runId: 'words' } }))
  assert.ok(!isHostPayload('colophon.webhook', { ...payload, words: 1 }))
  assert.ok(!isHostPayload('mail', payload))
})
