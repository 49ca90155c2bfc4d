import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { checkWorkerOptions } from './worker.ts'

const handlers = { mail: async () => {} }

/** The details of the refusal; null if the options are accepted. */
function refusalOf(options: unknown) {
  try {
    checkWorkerOptions(options as Parameters<typeof checkWorkerOptions>[0])
    return null
  } catch (error) {
    assert.ok(isColophonError(error, 'validation_error'), String(error))
    return error.details
  }
}

test('handlers alone are enough, and there may be none', () => {
  assert.equal(refusalOf({ handlers }), null)
  assert.equal(refusalOf({ handlers: {} }), null)
})

test('handlers must be functions by kind of job', () => {
  for (const wrong of [undefined, null, 'mail', { mail: 'send' }, { mail: handlers.mail, other: null }])
    assert.equal(refusalOf({ handlers: wrong })?.field, 'handlers')
})

test('missing options and unknown options are refused', () => {
  for (const wrong of [undefined, null, [], 'x', { handlers, poll: 5 }])
    assert.equal(refusalOf(wrong)?.field, 'options')
})

test('every number must be a whole number from its minimum on', () => {
  const minimum = { concurrency: 1, batchSize: 1, leaseMs: limits.jobLeaseMsMin, pollMs: 1 }
  assert.equal(refusalOf({ handlers, ...minimum }), null)
  for (const [field, min] of Object.entries(minimum)) {
    for (const value of [min - 1, min + 0.5, String(min), null, Number.NaN, Number.POSITIVE_INFINITY])
      assert.deepEqual(refusalOf({ handlers, [field]: value }), { field, min }, `${field} ${value}`)
  }
})

test('a batch is at most as large as the concurrency', () => {
  assert.equal(refusalOf({ handlers, concurrency: 4, batchSize: 4 }), null)
  assert.deepEqual(refusalOf({ handlers, concurrency: 4, batchSize: 5 }), { field: 'batchSize' })
})

test('the concurrency has an upper limit', () => {
  const max = limits.jobConcurrencyMax
  assert.equal(refusalOf({ handlers, concurrency: max }), null)
  const refusal = { field: 'concurrency', limit: 'jobConcurrencyMax', max }
  assert.deepEqual(refusalOf({ handlers, concurrency: max + 1 }), refusal)
})
