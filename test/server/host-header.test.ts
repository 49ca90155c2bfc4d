import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sendRaw, statusOf } from '../support/raw-http.ts'
import { useServer } from '../support/server.ts'

const paths = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/',
  '/console',
  '/docs/json',
  '/.well-known/openwop',
  '/v1/host/colophon/memory',
  '/v1/tenant/settings',
  '/v1/memories/none',
  '/none',
]

describe('the Host header', () => {
  const server = useServer({ env: { COLOPHON_ALLOWED_HOSTS: 'memory.example.com, *.internal.example' } })

  const ask = (request: string, headers: string) =>
    sendRaw(server.url, `${request}\r\n${headers}Authorization: Bearer ${server.key}\r\nConnection: close\r\n\r\n`)
  const statusFor = async (host: string, path = '/healthz') =>
    statusOf(await ask(`GET ${path} HTTP/1.1`, `Host: ${host}\r\n`))

  test('an unknown host name is refused on every route, with a hint', async () => {
    for (const request of [...paths.map((path) => `GET ${path}`), 'POST /mcp', 'OPTIONS /mcp', 'HEAD /healthz']) {
      const answer = await ask(`${request} HTTP/1.1`, 'Host: rebound.example:4242\r\nContent-Length: 0\r\n')
      assert.equal(statusOf(answer), 403, `${request}: ${answer}`)
      if (request.startsWith('HEAD')) continue
      assert.match(answer, /host_not_allowed.*COLOPHON_ALLOWED_HOSTS/, request)
      assert.ok(!answer.includes('rebound.example'), answer)
    }
  })

  test('loopback names, addresses, configured names and a missing name are accepted', async () => {
    const port = new URL(server.url).port
    for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', '[::1]:4242', '192.0.2.7'])
      assert.equal(await statusFor(host), 200, host)
    for (const host of ['memory.example.com', 'Memory.Example.com:443', 'a.internal.example'])
      assert.equal(await statusFor(host), 200, host)
    assert.equal(await statusFor('internal.example'), 403)
    assert.equal(await statusFor('memory.example.com', '/v1/host/colophon/memory'), 200)
    assert.equal(statusOf(await ask('GET /healthz HTTP/1.0', '')), 200, 'HTTP/1.0 has no Host')
    assert.equal(statusOf(await ask('GET /healthz HTTP/1.1', '')), 400, 'HTTP/1.1 needs one')
  })
})
