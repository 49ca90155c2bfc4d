import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError, isClientError } from './error.ts'

test('isClientError accepts only codes that exist', () => {
  const error = new ClientError('not_found', 'There is no such entry.')
  assert.ok(isClientError(error, 'not_found'))
  assert.ok(!isClientError(error, 'no_answer'))
  assert.ok(!isClientError(new Error('not_found'), 'not_found'))
  // @ts-expect-error No server has this code: the compiler finds the typo, not production.
  assert.ok(!isClientError(error, 'nope'))
})

test('the code of a newer server can be compared as a string', () => {
  const error: unknown = new ClientError('invented_later', 'It failed.')
  assert.ok(isClientError(error) && error.code === 'invented_later')
})
