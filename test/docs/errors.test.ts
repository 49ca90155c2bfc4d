import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import Fastify from 'fastify'
import { errorDocs, statuses } from '../../scripts/write-error-docs.ts'
import { ColophonError, type ErrorCode, errorTable } from '../../src/core/errors.ts'
import { createErrorSender } from '../../src/http/error-response.ts'
import { wires } from '../../src/wires/index.ts'

const sendError = createErrorSender(wires)

const committed = readFileSync(new URL('../../docs/ERRORS.md', import.meta.url), 'utf8')

test('docs/ERRORS.md is generated from the error table', () => {
  assert.equal(committed, errorDocs(), 'run: node scripts/bootstrap.mjs scripts/write-error-docs.ts')
})

test('every code of the table is in docs/ERRORS.md exactly once', () => {
  for (const code of Object.keys(errorTable)) {
    assert.equal(committed.split(`| \`${code}\` |`).length - 1, 1, code)
  }
})

test('the server answers every code with its status in docs/ERRORS.md', async () => {
  const app = Fastify()
  app.get<{ Params: { code: ErrorCode } }>('/:code', async (request, reply) =>
    sendError(request, reply, new ColophonError(request.params.code, 'It failed.')),
  )
  for (const [code, { kind }] of Object.entries(errorTable)) {
    const { statusCode } = await app.inject(`/${code}`)
    assert.equal(statusCode, statuses[kind], code)
  }
})

test('docs/OPERATIONS.md explains what to do for every code that is a server failure', () => {
  const operations = readFileSync(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8')
  for (const [code, { kind }] of Object.entries(errorTable)) {
    if (!['internal', 'corrupt', 'busy', 'unavailable'].includes(kind)) continue
    assert.ok(operations.includes(`| \`${code}\` |`), code)
  }
})
