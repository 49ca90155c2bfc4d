import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { errorTable } from '../../core/errors.ts'
import { codeOf, statusOf, toV2Code } from './codes.ts'
import { toV2Envelope } from './errors.ts'

test('every error of the engine has a code of version 2, and no row is left over', () => {
  assert.deepEqual(Object.keys(codeOf).sort(), Object.keys(errorTable).sort())
  for (const code of Object.keys(errorTable)) assert.ok(toV2Code(code, {}) in statusOf, code)
  assert.equal(toV2Code('a code that nobody knows', {}), 'internal_error')
})

const published = fileURLToPath(new URL('../../../../shared/openwop/schemas-v2/errors.json', import.meta.url))

test('codes and statuses are registered', (t) => {
  if (!existsSync(published)) return t.skip('the published registry is not here')
  const { codes } = JSON.parse(readFileSync(published, 'utf8')) as { codes: Record<string, { status: number }> }
  for (const [code, status] of Object.entries(statusOf)) assert.equal(codes[code]?.status, status, code)
})

test('a run that has ended is refused with another code than one that goes on', () => {
  assert.equal(toV2Code('run_state', { runStatus: 'completed' }), 'run_terminal')
  assert.equal(toV2Code('run_state', { runStatus: 'paused' }), 'run_state_conflict')
})

test('the envelope keeps the exact code, and leaves retry timing to the header', () => {
  const details = { retryAfterMs: 5, retryAfter: 1, limit: 3, hint: 'See /v1/openapi.json.' }
  const { status, body } = toV2Envelope({ status: 409, code: 'write_contention', message: 'No.', details })
  assert.equal(status, 503)
  assert.deepEqual(body, {
    error: 'service_unavailable',
    message: 'No.',
    details: { limit: 3, exactCode: 'write_contention', hint: 'See /openapi.json.' },
  })
})

test('an unknown member is named, with what version 2 calls it', () => {
  const failure = { status: 400, code: 'validation_error', message: 'x', details: { field: 'querystring' } }
  const query = toV2Envelope({ ...failure, where: 'querystring', unknown: ['lastSequence'] }).body
  assert.equal(query.message, 'lastSequence is not a member of this query in version 2. Send afterSequence.')
  assert.equal(query.details.field, 'lastSequence')
  const inner = { ...failure, details: { field: 'configurable' }, where: 'body', unknown: ['recursionLimit'] }
  assert.match(
    toV2Envelope(inner).body.message,
    /^configurable\.recursionLimit .*Send configurable\.run\.recursionLimit\.$/,
  )
  const inherited = toV2Envelope({ ...inner, unknown: ['toString'] }).body
  assert.equal(inherited.message, 'configurable.toString is not a member of this body in version 2.')
})
