import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { type Answer, type Call, useServer } from '../support/server.ts'
import { chain, host, noop, register, startRun } from './runs-calls.ts'

const discovery = '/.well-known/openwop'
const versionOf = ({ headers }: Answer) => headers.get('openwop-version')

describe('the version of the protocol is negotiated', () => {
  const server = useServer()
  let call: Call
  before(async () => {
    call = (await server.tenant()).call
    await register(call, chain('visit', [noop()]))
  })
  const as = (version: string, path: string) => call('GET', path, undefined, { 'openwop-version': version })

  test('every response of the protocol says its version; paths outside of it say none', async () => {
    const runId = await startRun(call, 'visit')
    for (const path of ['/v1/runs/none', `/v1/runs/${runId}/events`, '/v1/openapi.json', '/v1/agents', '/v1/runs/%zz'])
      assert.equal(versionOf(await call('GET', path)), '1.0', path)
    for (const path of ['/workflows/visit', '/workflows/none', '/openapi.json', '/runs/%zz', '/prompts', '/tools'])
      assert.equal(versionOf(await call('GET', path)), '2.0', path)
    assert.equal(versionOf(await server.as(null)('GET', '/workflows/visit')), '2.0', 'a refused caller')
    assert.equal(versionOf(await call('GET', discovery)), '1.0')
    const etag = (await call('GET', discovery)).headers.get('etag') ?? ''
    const known = await call('GET', discovery, undefined, { 'if-none-match': etag })
    assert.deepEqual([known.status, versionOf(known)], [304, '1.0'])
    for (const path of [
      `${host}/memory`,
      '/v1/memories?external_user_id=ada',
      '/healthz',
      '/docs',
      '/v2/runs',
      '/none',
    ])
      assert.equal(versionOf(await as('2', path)), null, path)
    assert.equal((await as('9', `${host}/memory`)).status, 200, 'the host extension is not negotiated')
  })

  test('only the major version of the header counts', async () => {
    for (const version of ['2', '2.0', '2.3']) {
      const answer = await as(version, '/workflows/visit')
      assert.deepEqual([answer.status, versionOf(answer), answer.body.id], [200, '2.0', 'visit'], version)
    }
    const old = await as('1', '/workflows/visit')
    assertError(old, 404, 'not_found')
    assert.equal(versionOf(old), '1.0')
    assert.equal((await as('1.0', '/v1/workflows/visit')).status, 200)
    const mixed = await as('2', '/v1/workflows/visit')
    assertError(mixed, 400, 'protocol_version_mismatch')
  })

  test('a version that is not served is 406 on every path of the protocol, before the key is checked', async () => {
    for (const path of ['/workflows/visit', '/v1/workflows/visit', discovery, '/prompts']) {
      const answer = await server.as(null)('GET', path, undefined, { 'openwop-version': '9.0' })
      assertError(answer, 406, 'protocol_version_unsupported')
      assert.deepEqual(answer.body.details.protocolVersions, ['1.0', '2.0'], path)
    }
    assertError(await as('two', '/workflows/visit'), 400, 'validation_error')
  })

  test('errors have the envelope of version 2: a fixed code, and nothing beside it', async () => {
    for (const answer of [
      await call('GET', '/workflows/none'),
      await call('GET', '/workflows/visit?unknown=1'),
      await call('GET', '/prompts'),
      await server.as('wrong')('GET', '/workflows/visit'),
      await server.as('wrong')('GET', '/runs'),
    ]) {
      assert.deepEqual(Object.keys(answer.body), ['error', 'message', 'details'])
      if (answer.status === 401) assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    }
    assertError(await call('GET', '/prompts'), 404, 'not_found')
    const unknown = await call('GET', '/workflows/visit?limit=1')
    assertError(unknown, 400, 'validation_error')
    assert.deepEqual(unknown.body.details.field, 'limit')
  })

  test('a revoked key gets credential_revoked on the next request', async () => {
    const { body } = await call('POST', `${host}/keys`, { name: 'short', scopes: ['manifest:read'] })
    const revoked = server.as(body.key)
    assert.equal((await revoked('GET', '/workflows/visit')).status, 200)
    await call('DELETE', `${host}/keys/${body.id}`)
    assertError(await revoked('GET', '/workflows/visit'), 401, 'credential_revoked')
    assertError(await revoked('GET', '/%77orkflows/visit'), 401, 'credential_revoked')
    assertError(await revoked('GET', '/v1/workflows/visit'), 401, 'key_revoked')
  })

  test('version 2 has an OpenAPI document of its own', async () => {
    const { body } = await server.as(null)('GET', '/openapi.json')
    assert.match(body.openapi, /^3\.1\./)
    assert.ok('/workflows/{workflowId}' in body.paths && '/.well-known/openwop' in body.paths)
    assert.deepEqual(
      Object.keys(body.paths).filter((path) => path.startsWith('/v1/')),
      [],
    )
    const main = (await server.as(null)('GET', '/v1/openapi.json')).body
    assert.deepEqual([main.info.title, body.info.title], ['Colophon', 'Colophon: OpenWOP 2'])
    assert.ok(!('/workflows/{workflowId}' in main.paths))
  })
})
