import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { readerRules } from '../../src/http/reader-rules.ts'
import { describedPaths } from '../support/openapi.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Operation = { readonly operationId: string; readonly security?: readonly object[] }
type Listed = Operation & { readonly method: string; readonly path: string }

describe('every operation says what it does for a key that is bound to a reader', () => {
  let server: TestServer
  let operations: Listed[]
  before(async () => {
    server = await startServer()
    operations = (await describedPaths<Operation>(server)).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    )
  })
  after(async () => server[Symbol.asyncDispose]())

  const isOfKey = ({ path, security }: Listed) =>
    security?.length !== 0 && !path.startsWith('/v1/host/colophon/tenants') && !path.startsWith('/v1/interrupts/')

  test('an operation without a rule, and a rule without an operation, fail', () => {
    const ofKeys = operations.filter(isOfKey).map(({ operationId }) => operationId)
    assert.ok(ofKeys.length > 90, String(ofKeys.length))
    assert.deepEqual(ofKeys.filter((id) => !Object.hasOwn(readerRules, id)).sort(), [])
    assert.deepEqual(
      Object.keys(readerRules)
        .filter((id) => !ofKeys.includes(id))
        .sort(),
      [],
    )
  })

  test('refused operations are refused with reader_forbidden, whatever scopes the bound key has; the others are not', async () => {
    const { call } = await server.tenant()
    const made = await call('POST', '/v1/host/colophon/keys', { name: 'bound', scopes, reader: 'ana' })
    assert.equal(made.body.reader, 'ana')
    for (const { method, path, operationId } of operations.filter(isOfKey)) {
      // Streams stay open.
      if (operationId === 'streamChanges') continue
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const answer = await server.as(made.body.key)(method, path.replaceAll(/\{\w+\}/g, 'none'), body)
      const isRefused =
        answer.status === 403 && (answer.body.details.exactCode ?? answer.body.error) === 'reader_forbidden'
      assert.equal(isRefused, readerRules[operationId] === 'refused', `${operationId}: ${answer.status} ${answer.text}`)
    }
  })
})
