import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../test/contract/suite/assert-code.ts'
import { ColophonError, type ErrorCode, isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { decideAndCommit } from './decide-and-commit.ts'

/** Fails with these codes, one per attempt, then gives the number of the attempt. */
function failing(...codes: ErrorCode[]) {
  let attempts = 0
  const attempt = async () => {
    const code = codes[attempts++]
    if (code !== undefined) throw new ColophonError(code, 'no')
    return attempts
  }
  return { attempt, count: () => attempts }
}

const always = (code: ErrorCode) => failing(...Array.from({ length: limits.decideAttemptsMax * 2 }, () => code))

test('the first attempt starts at once, so concurrent calls keep their order', () => {
  const order: string[] = []
  for (const name of ['a', 'b']) void decideAndCommit(async () => order.push(name))
  assert.deepEqual(order, ['a', 'b'])
})

test('every error code of stale reads leads to another attempt', async () => {
  const { attempt } = failing('version_conflict', 'run_changed', 'reads_stale')
  assert.equal(await decideAndCommit(attempt), 4)
})

test('any other error is rethrown at once, unless the use case may retry it', async () => {
  const refused = failing('validation_error')
  await rejectsWith('validation_error', decideAndCommit(refused.attempt))
  assert.equal(refused.count(), 1)
  const mayRetry = (error: unknown, attempt: number) => attempt === 1 && isColophonError(error, 'secret_leakage')
  assert.equal(await decideAndCommit(failing('secret_leakage').attempt, { mayRetry }), 2)
  const twice = failing('secret_leakage', 'secret_leakage')
  await rejectsWith('secret_leakage', decideAndCommit(twice.attempt, { mayRetry }))
})

test('after the last attempt the caller gets an error that it may retry', async (t) => {
  t.mock.method(Math, 'random', () => 0)
  const ends: Partial<Record<ErrorCode, ErrorCode>> = {
    version_conflict: 'write_contention',
    run_changed: 'run_changed',
    reads_stale: 'reads_stale',
  }
  for (const [code, last] of Object.entries(ends) as [ErrorCode, ErrorCode][]) {
    const { attempt, count } = always(code)
    const error = await decideAndCommit(attempt).catch((thrown: unknown) => thrown)
    assert.ok(isColophonError(error, last) && error.retryable && error.kind === 'conflict', code)
    assert.equal(count(), limits.decideAttemptsMax)
  }
  const few = always('version_conflict')
  await rejectsWith('write_contention', decideAndCommit(few.attempt, { attemptsMax: 3 }))
  assert.equal(few.count(), 3)
})

test('the pause before a retry grows up to a bound', async (t) => {
  t.mock.method(Math, 'random', () => 1)
  const pauses: number[] = []
  t.mock.method(globalThis, 'setTimeout', ((resolve: () => void, ms: number) => {
    pauses.push(ms)
    resolve()
  }) as never)
  await rejectsWith('write_contention', decideAndCommit(always('version_conflict').attempt))
  assert.equal(pauses.length, limits.decideAttemptsMax - 1)
  assert.deepEqual([pauses[0], pauses[1], Math.max(...pauses)], [5, 10, 100])
})
