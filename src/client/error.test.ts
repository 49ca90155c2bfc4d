import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError, isClientError } from './error.ts'

test('an error is asked for by a code that exists', () => {
  const error = new ClientError('not_found', 'There is no such entry.')
  assert.ok(isClientError(error, 'not_found'))
  assert.ok(!isClientError(error, 'no_answer'))
  assert.ok(!isClientError(new Error('not_found'), 'not_found'))
  // @ts-expect-error No server has this code: a typing error is found by the compiler, not in production.
  assert.ok(!isClientError(error, 'nope'))
})

test('a code of a newer server is a text', () => {
  const error: unknown = new ClientError('invented_later', 'It failed.')
  assert.ok(isClientError(error) && error.code === 'invented_later')
})
