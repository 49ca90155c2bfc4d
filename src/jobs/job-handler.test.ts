import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { JobError, toFailure } from './job-handler.ts'

test('an error of the host keeps its code and message', () => {
  const error = new ColophonError('not_found', 'There is no such run.')
  assert.deepEqual(toFailure(error), { code: 'not_found', message: 'There is no such run.' })
  const refused = (details: object) =>
    toFailure(new ColophonError('delivery_failed', 'No.', { details: { ...details } }))
  assert.equal(refused({ reason: 'status', status: 503 }).status, 503)
  assert.ok(!('status' in refused({ reason: 'timeout' })))
})

test('a JobError keeps its code, and its message up to the limit', () => {
  const max = limits.jobErrorCharactersMax
  assert.deepEqual(toFailure(new JobError('no_mail', 'The mailbox is full.')), {
    code: 'no_mail',
    message: 'The mailbox is full.',
  })
  assert.equal(toFailure(new JobError('x', 'm'.repeat(max))).message.length, max)
  assert.equal(toFailure(new JobError('x', 'm'.repeat(max + 1))).message.length, max)
})

test('of any other error only the class is kept, because its message may quote memory', () => {
  class MailError extends Error {
    override readonly name = 'MailError'
  }
  for (const error of [
    new Error('Ada prefers tea.'),
    new TypeError('Ada prefers tea.'),
    new MailError('Ada prefers tea.'),
  ]) {
    const { code, message } = toFailure(error)
    assert.equal(code, 'handler_failed')
    assert.ok(message.includes(error.name), message)
    assert.ok(!message.includes('tea'), message)
  }
})

test('a thrown value that is not an error is not repeated', () => {
  for (const value of ['Ada prefers tea.', { code: 'tea', message: 'tea' }, null, undefined]) {
    const { code, message } = toFailure(value)
    assert.equal(code, 'handler_failed')
    assert.ok(!message.includes('tea'), message)
  }
})
