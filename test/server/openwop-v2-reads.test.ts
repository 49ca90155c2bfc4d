import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import Database from 'better-sqlite3'
import canonicalize from 'canonicalize'
import { CapabilitiesV2 } from '../../src/wires/openwop-v2/schemas/discovery.ts'
import { assertError } from '../support/envelope.ts'
import { useServer } from '../support/server.ts'
import { host } from './runs-calls.ts'

const discovery = '/.well-known/openwop'
const two = { 'openwop-version': '2.0' }

describe('the reads of version 2', () => {
  const server = useServer()
  const document = async (headers: Record<string, string> = two) =>
    server.as(null)('GET', discovery, undefined, headers)

  test('discovery has a representation and a tag for each version', async () => {
    const [first, second] = [await document({}), await document()]
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.equal(second.headers.get('openwop-version'), '2.0')
    CapabilitiesV2.parse(second.body)
    assert.equal(first.body.protocolVersion, '1.0')
    assert.deepEqual(first.body.protocolVersions, second.body.protocolVersions)
    assert.equal(first.body.preferredVersion, second.body.preferredVersion)
    const tags = [first, second].map(({ headers }) => headers.get('etag') ?? '')
    assert.notEqual(tags[0], tags[1])
    const known = await document({ ...two, 'if-none-match': tags[1] ?? '' })
    assert.deepEqual([known.status, known.text, known.headers.get('openwop-version')], [304, '', '2.0'])
    assert.equal((await document({ ...two, 'if-none-match': tags[0] ?? '' })).status, 200)
    assert.equal(second.headers.get('vary'), 'OpenWOP-Version')
    const legacy = [first, second].map(({ headers }) => headers.get('capabilities-etag'))
    assert.deepEqual(legacy, [tags[0], null], 'version 1 has the tag under its old name too')
  })

  test('everything that is served under /v1 without a parameter is served without it', async () => {
    const { paths } = (await server.as(null)('GET', '/v1/openapi.json')).body
    const reads = Object.keys(paths).filter((path) => /^\/v1\/(agents|audit|workflows|openapi)[^{]*$/.test(path))
    assert.equal(paths['/.well-known/openwop'].get.operationId, 'getCapabilities')
    for (const path of [...reads, '/v1/openapi.json'])
      assert.equal((await server.call('GET', path.slice('/v1'.length))).status, 200, path)
    assert.deepEqual((await server.call('GET', '/agents')).body, (await server.call('GET', '/v1/agents')).body)
  })

  test('the audit is verified with a checkpoint that the key of the host signed, and claimed as nothing of the protocol; a broken chain gets none', async () => {
    for (const content of ['one', 'two', 'three'])
      await server.call('POST', `${host}/memory/notes/entries`, { content })
    const { body } = await server.call('GET', '/audit/verify?fromSeq=0')
    assert.equal(body.chainValid, true)
    const [{ signature, ...signed }] = body.checkpoints
    assert.ok(!('auditLogIntegrity' in (await document()).body))
    const { publicKey } = (await server.call('GET', `${host}/signing-key`)).body
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const isSigned = (value: object) =>
      verify(null, Buffer.from(canonicalize(value) ?? ''), key, Buffer.from(signature, 'base64'))
    assert.ok(isSigned(signed))
    assert.ok(
      !isSigned({ ...signed, merkleRoot: signed.merkleRoot.replace(/./, (c: string) => (c === '0' ? '1' : '0')) }),
    )
    const proof = (await server.call('GET', `${host}/log/proof/consistency?from=1&to=${signed.atSequence}`)).body
    assert.equal(Buffer.from(proof.toRoot, 'base64').toString('hex'), signed.merkleRoot, 'the same log')
    assertError(await server.call('GET', '/audit/verify?contents=true'), 400, 'validation_error')

    new Database(join(server.dataDir, 'colophon.db')).exec("update audit set body = '{}' where position = 2").close()
    const broken = (await server.call('GET', '/audit/verify')).body
    assert.deepEqual([broken.chainValid, broken.checkpoints, broken.anomalies.length], [false, [], 1])
  })

  test('ids of authors that do not fit version 2 are refused there and kept in version 1', async () => {
    assertError(await server.call('GET', '/agents/local%20one'), 400, 'validation_error')
    assertError(await server.call('GET', '/v1/agents/local%20one'), 404)
    assertError(await server.call('GET', '/agents/roster'), 404, 'not_found')
  })
})
