import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ColophonError, type ErrorCode, errorTable } from '../core/errors.ts'
import { wires } from '../wires/index.ts'
import { provenance } from '../wires/provenance/index.ts'
import { createErrorSender } from './error-response.ts'

const sendError = createErrorSender(wires)

type Sent = {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown> & { details: Record<string, unknown> }
  logged: Record<string, unknown>[]
}

/** The response and the log lines for an error at a path. */
function answerTo(error: unknown, url = '/v1/runs/run_1', given: Record<string, string> = {}): Sent {
  const sent: Sent = { status: 0, headers: {}, body: { details: {} }, logged: [] }
  const request = {
    url,
    id: 'req_1',
    headers: given,
    log: { error: (facts: object) => sent.logged.push({ ...facts }) },
  }
  const reply = {
    hasHeader: (name: string) => name in sent.headers,
    header: (name: string, value: string) => (sent.headers[name] = value),
    headers: (more: Record<string, string>) => Object.assign(sent.headers, more),
    code(status: number) {
      sent.status = status
      return this
    },
    send(body: Sent['body']) {
      sent.body = body
      return this
    },
  }
  sendError(request as unknown as FastifyRequest, reply as unknown as FastifyReply, error)
  return sent
}

const errorOf = (code: ErrorCode) => new ColophonError(code, 'It failed.', { details: { field: 'x' } })
const kinds = Object.fromEntries(Object.entries(errorTable).map(([code, { kind }]) => [kind, code as ErrorCode]))

test('each kind of error has its status', () => {
  const statuses = Object.fromEntries(
    Object.entries(kinds).map(([kind, code]) => [kind, answerTo(errorOf(code)).status]),
  )
  assert.deepEqual(statuses, {
    invalid: 400,
    unauthenticated: 401,
    forbidden: 403,
    missing: 404,
    unsupported: 405,
    conflict: 409,
    gone: 410,
    oversized: 413,
    refused: 422,
    limited: 429,
    internal: 500,
    corrupt: 500,
    busy: 503,
    unavailable: 503,
    full: 507,
  })
})

test('an error of OpenWOP has its code, message, details and hint', () => {
  const { hint } = errorTable.version_conflict
  assert.deepEqual(answerTo(errorOf('version_conflict')).body, {
    error: 'version_conflict',
    message: 'It failed.',
    details: { field: 'x', hint },
  })
})

test('paths of the provenance API are recognised by their segment after the version', () => {
  for (const path of [
    '/v1/memories',
    '/v1/memories/mem_1',
    '/v1/memories?limit=1',
    '/v1/memories:x',
    '/v1/tenant/writers',
  ]) {
    assert.equal(provenance.owns(path), true, path)
  }
  for (const path of ['/v1/memory/notes', '/v1/memoriesx', '/v1/tenants', '/v2/memories', '/x/v1/memories', '/']) {
    assert.equal(provenance.owns(path), false, path)
  }
})

test('the provenance API has its own codes, a request id, and 422 for a wrong body', () => {
  const answer = (code: ErrorCode) => {
    const { status, body } = answerTo(errorOf(code), '/v1/memories')
    return [status, body.code, body.error, body.request_id]
  }
  assert.deepEqual(answer('validation_error'), [422, 'REQ_422', 'validation_error', 'req_1'])
  assert.deepEqual(answer('writer_invalid'), [422, 'PROV_422', 'writer_invalid', 'req_1'])
  assert.deepEqual(answer('not_found'), [404, 'MEM_404', 'not_found', 'req_1'])
  assert.deepEqual(answer('source_event_payload_mismatch'), [409, 'PROV_409', 'source_event_payload_mismatch', 'req_1'])
  assert.deepEqual(answer('source_event_erased'), [410, 'PROV_410', 'source_event_erased', 'req_1'])
  assert.deepEqual(answer('secret_leakage'), [422, 'REQ_422', 'secret_leakage', 'req_1'])
  assert.deepEqual(answer('overloaded'), [503, 'SRV_503', 'overloaded', 'req_1'])
})

test('the provenance API distinguishes a missing key from a key that is not valid', () => {
  const codeOf = (headers: Record<string, string>) =>
    answerTo(errorOf('unauthenticated'), '/v1/memories', headers).body.code
  assert.deepEqual([codeOf({}), codeOf({ authorization: 'Bearer x' })], ['AUTH_001', 'AUTH_002'])
})

test('an internal error does not disclose its cause to the client or in the log', () => {
  const cause = Object.assign(new TypeError('duplicate key value (ada@example.com)'), { code: '23505' })
  const { status, body, logged } = answerTo(cause)
  assert.deepEqual([status, body.error], [500, 'internal_error'])
  assert.ok(!JSON.stringify([body, logged]).includes('ada@example.com'))
  assert.deepEqual([logged.length, logged[0]?.error, logged[0]?.errorCode], [1, 'TypeError', '23505'])
  assert.match(String(logged[0]?.stack), /\.test\.ts/)
})

test('thrown values that are no errors become internal errors', () => {
  for (const thrown of [null, undefined, 'text', 7, {}]) assert.equal(answerTo(thrown).body.error, 'internal_error')
})

test('a refused request is not logged as a failure', () => {
  for (const code of ['validation_error', 'not_found', 'version_conflict'] satisfies ErrorCode[]) {
    assert.deepEqual(answerTo(errorOf(code)).logged, [])
  }
  assert.equal(answerTo(errorOf('overloaded')).logged.length, 1)
})

test('503 has Retry-After, and 401 has WWW-Authenticate', () => {
  assert.equal(answerTo(errorOf('overloaded')).headers['retry-after'], '1')
  assert.equal(answerTo(errorOf('unauthenticated')).headers['www-authenticate'], 'Bearer')
  assert.deepEqual(answerTo(errorOf('not_found')).headers, { 'openwop-version': '1.0' })
})

test('errors of the HTTP layer have a status and a code of their own', () => {
  const answer = (parts: object) => {
    const { status, body } = answerTo(Object.assign(new Error('raw'), parts))
    return [status, body.error]
  }
  assert.deepEqual(answer({ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }), [413, 'payload_too_large'])
  assert.deepEqual(answer({ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }), [415, 'unsupported_media_type'])
  assert.deepEqual(answer({ code: 'FST_ERR_CTP_EMPTY_JSON_BODY', statusCode: 400 }), [400, 'validation_error'])
  assert.deepEqual(answer({ code: 'FST_ERR_BAD_URL', statusCode: 414 }), [414, 'validation_error'])
  assert.deepEqual(answer({ statusCode: 502 }), [500, 'internal_error'])
  assert.equal(answerTo(new SyntaxError('Unexpected token s in JSON')).status, 400)
})

test('an error of an invalid body names fields, but no values and no names that the client chose', () => {
  const problem = (instancePath: string) => ({
    instancePath,
    keyword: 'invalid_type',
    schemaPath: '',
    message: 'is bad',
    params: { expected: 'string' },
  })
  const paths = [
    '/entries/0/content',
    '/metadata/a name with ada@example.com',
    ...Array.from({ length: 30 }, () => '/x'),
  ]
  const validation = paths.map((path) => ({ ...problem(path), [Symbol.for('ZodFastifySchemaValidationError')]: true }))
  const error = Object.assign(new Error('raw'), { validation, validationContext: 'body' })
  const { status, body } = answerTo(error)
  const fields = body.details.fields as string[]
  assert.deepEqual([status, body.error, fields[0]], [400, 'validation_error', 'entries[0].content must be a string'])
  assert.deepEqual([body.message, body.details.field], ['entries[0].content must be a string.', 'entries[0].content'])
  assert.equal(fields.length, 20)
  assert.ok(!JSON.stringify(body).includes('ada@example.com'))
})
