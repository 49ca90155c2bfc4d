import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from './errors.ts'
import { invariant } from './invariant.ts'

test('a broken invariant is an error with its reason, and no error of the public table', () => {
  invariant(true, 'holds')
  assert.throws(
    () => invariant(false, 'positions only grow'),
    (error) =>
      error instanceof Error &&
      error.name === 'InvariantBroken' &&
      error.message === 'positions only grow' &&
      !isColophonError(error),
  )
})
