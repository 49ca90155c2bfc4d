import assert from 'node:assert/strict'
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { startServer, type TestServer } from '../support/server.ts'
import { connectHttp } from './connect.ts'

const resource = 'https://memory.example.com/mcp'
const rules = [
  { claims: { org: 'acme', role: 'reader' }, tenant: 'acme', scopes: ['memory:read'] },
  { claims: { org: 'acme' }, tenant: 'acme', scopes: ['memory:read', 'memory:write', 'memory:admin'] },
  { claims: { org: 'zeta', scope: 'memory' }, tenant: 'zeta', scopes: ['memory:read'], reader: 'sub' },
]

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = (fromNow: number) => Math.floor(Date.now() / 1_000) + fromNow

type Key = { readonly kid: string; readonly alg: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject }
const ec = { kid: 'ec', alg: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
const rsa = { kid: 'rsa', alg: 'RS256', ...generateKeyPairSync('rsa', { modulusLength: 2_048 }) }
const rotated = { kid: 'next', alg: 'EdDSA', ...generateKeyPairSync('ed25519') }

/** A signed token: right in everything that the test does not change. */
function tokenOf(claims: object, { key = ec as Key, header = {} }: { key?: Key; header?: object } = {}): string {
  const head = base64({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
  const signed = `${head}.${base64(claims)}`
  const hash = key.alg === 'EdDSA' ? null : 'sha256'
  const signature = sign(hash, Buffer.from(signed), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
    ...(key.alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}),
  })
  return `${signed}.${signature.toString('base64url')}`
}

describe('OAuth tokens for /mcp', () => {
  const published: Key[] = [ec, rsa]
  const asked: string[] = []
  /** The issuer: it publishes its keys, and notes who asks for what. */
  const issuerServer = createServer((request, response) => {
    asked.push(request.url ?? '')
    const keys = published.map(({ kid, alg, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      alg,
      use: 'sig',
    }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  })
  let issuer = ''
  let server: TestServer
  let good: Record<string, unknown>
  before(async () => {
    issuerServer.listen(0, '127.0.0.1')
    await once(issuerServer, 'listening')
    issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`
    good = { iss: issuer, aud: resource, sub: 'ada', org: 'acme', exp: seconds(300), iat: seconds(0) }
    server = await startServer({
      env: {
        COLOPHON_OAUTH_ISSUER: issuer,
        COLOPHON_OAUTH_RESOURCE: resource,
        COLOPHON_OAUTH_JWKS_URL: `${issuer}/keys`,
        COLOPHON_OAUTH_RULES: JSON.stringify(rules),
      },
    })
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    issuerServer.closeAllConnections()
    issuerServer.close()
  })
  const list = (token: string) => server.as(token)('GET', '/v1/host/colophon/memory/r/entries')

  test('a client finds the issuer by the answer to a request without a token', async () => {
    const { status, headers } = await server.as(null)('POST', '/mcp', {})
    assert.equal(status, 401)
    const metadata = 'https://memory.example.com/.well-known/oauth-protected-resource/mcp'
    assert.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}"`)
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const { status, body } = await server.as(null)('GET', path)
      assert.deepEqual([status, body.resource, body.authorization_servers], [200, resource, [issuer]])
    }
    const wrong = await server.as('eyJx.y.z')('POST', '/mcp', {})
    assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  })

  test('the rules give tenant, scopes and reader; API keys go on working', async () => {
    await using mcp = await connectHttp(server.url, tokenOf(good), { ref: 'r' })
    assert.ok(!(await mcp.call('remember', { content: 'Of acme.' })).isError)
    await using reader = await connectHttp(server.url, tokenOf({ ...good, role: ['reader', 'x'] }, { key: rsa }), {
      ref: 'r',
    })
    assert.equal((await reader.call('list')).structured.memories.length, 1)
    assert.match((await reader.call('remember', { content: 'No.' })).text, /^forbidden: .*memory:write/)
    const zeta = { ...good, org: 'zeta', scope: 'openid memory' }
    const { status, body } = await list(tokenOf(zeta))
    assert.deepEqual([status, body.entries], [200, []])
    const other = await server.as(tokenOf(zeta))('GET', '/v1/host/colophon/memory/r/entries?reader=grace')
    assert.deepEqual([other.status, other.body.error], [403, 'reader_forbidden'])
    for (const claims of [
      { ...good, org: 'other' },
      { ...zeta, scope: 'memory2' },
    ]) {
      const refused = await list(tokenOf(claims))
      assert.deepEqual([refused.status, refused.body.error], [403, 'forbidden'])
    }
    assert.deepEqual([(await server.call('GET', '/v1/host/colophon/memory/r/entries')).body.entries], [[]])
    const traced = await server.as(tokenOf(good))('GET', '/v1/host/colophon/memory/r/entries')
    const path = `/v1/host/colophon/memory/r/entries/${traced.body.entries[0].id}/colophon`
    assert.match((await server.as(tokenOf(good))('GET', path)).body.audit.actor, /^key:key_oauth_[0-9a-f]{24}$/)
  })

  test('what is wrong with a token is refused', async () => {
    const none = `${base64({ alg: 'none' })}.${base64(good)}.`
    // Algorithm confusion: the public key, which everybody has, used as a shared secret.
    const head = `${base64({ alg: 'HS256', kid: 'rsa', typ: 'JWT' })}.${base64(good)}`
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
    const confused = `${head}.${createHmac('sha256', pem).update(head).digest('base64url')}`
    const [first, , last] = tokenOf(good).split('.')
    const tokens: Record<string, [token: string, message: RegExp]> = {
      none: [none, /not valid/],
      confused: [confused, /not valid/],
      changed: [`${first}.${base64({ ...good, sub: 'eve' })}.${last}`, /not valid/],
      'key of another kind': [tokenOf(good, { key: { ...ec, kid: 'rsa' } }), /not valid/],
      'algorithm that the key is not for': [tokenOf(good, { key: { ...rsa, alg: 'PS256' } }), /not valid/],
      'unknown key': [tokenOf(good, { key: { ...ec, kid: 'unknown' } }), /not valid/],
      'critical extension': [tokenOf(good, { header: { crit: ['exp'] } }), /not valid/],
      'another type': [tokenOf(good, { header: { typ: 'logout+jwt' } }), /not valid/],
      expired: [tokenOf({ ...good, exp: seconds(-90) }), /has expired/],
      'without an end': [tokenOf({ ...good, exp: undefined }), /has no end/],
      'with an end that is no date': [tokenOf({ ...good, exp: 1e300 }), /has no end/],
      'not yet valid': [tokenOf({ ...good, nbf: seconds(90) }), /not valid yet/],
      'from the future': [tokenOf({ ...good, iat: seconds(90) }), /not valid yet/],
      'for another resource': [tokenOf({ ...good, aud: 'https://other.example.com/mcp' }), /another resource/],
      'for no resource': [tokenOf({ ...good, aud: undefined }), /another resource/],
      'of another issuer': [tokenOf({ ...good, iss: 'https://evil.example' }), /another issuer/],
      'without a subject': [tokenOf({ ...good, sub: undefined }), /no subject/],
      'two parts': [`${first}.${last}`, /not valid/],
      'too long': [tokenOf({ ...good, more: 'x'.repeat(9_000) }), /needed/],
    }
    for (const [name, [token, message]] of Object.entries(tokens)) {
      const { status, body } = await list(token)
      assert.deepEqual([status, body.error], [401, 'unauthenticated'], name)
      assert.match(body.message, message, name)
    }
    // Clocks may differ by a minute, and an audience may be one of several.
    assert.equal((await list(tokenOf({ ...good, exp: seconds(-30), nbf: seconds(30) }))).status, 200)
    assert.equal((await list(tokenOf({ ...good, aud: ['x', resource] }))).status, 200)
  })

  test('only the configured address is asked for keys, and seldom', async () => {
    asked.length = 0
    const attacker = {
      header: { jku: `${issuer}/attack`, x5u: `${issuer}/attack`, jwk: rotated.publicKey.export({ format: 'jwk' }) },
    }
    for (let at = 0; at < 5; at++)
      assert.equal((await list(tokenOf(good, { key: { ...rotated, kid: `made-up-${at}` }, ...attacker }))).status, 401)
    assert.ok(asked.length <= 1 && asked.every((path) => path === '/keys'), asked.join(' '))
    assert.ok(!server.logs().includes(tokenOf(good).split('.')[1] ?? ''))
  })
})
