import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { toProvenanceError } from './errors.ts'

const request = { id: 'req-1', headers: { authorization: 'ApiKey x' } } as FastifyRequest

function shown(field: string, where?: string, message = `${field} must be something.`) {
  const failure = { status: 400, code: 'validation_error', message, details: { field } }
  const { status, body } = toProvenanceError(where === undefined ? failure : { ...failure, where }, request)
  return [status, body.error, body.code, body.details.field, body.message]
}

test('an invalid field of a writer or a source gets the code writer_invalid', () => {
  for (const field of ['source', 'source.event_id', 'authority_rules.categories.fact', 'is_active'])
    assert.deepEqual(shown(field, 'body').slice(0, 3), [422, 'writer_invalid', 'PROV_422'], field)
  for (const field of ['body', 'sources', 'messages[0].content'])
    assert.deepEqual(shown(field, 'body').slice(0, 3), [422, 'validation_error', 'REQ_422'], field)
  assert.equal(shown('is_active', 'querystring')[1], 'validation_error')
})

test('the error of a use case keeps its code and names its field in snake case', () => {
  assert.deepEqual(shown('serviceKey'), [
    422,
    'validation_error',
    'REQ_422',
    'service_key',
    'service_key must be something.',
  ])
  assert.equal(shown('subject', undefined, 'subject holds a secret.')[4], 'external_user_id holds a secret.')
  assert.equal(shown('idempotencyKey')[3], 'idempotencyKey')
})
