import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { useServer } from '../support/server.ts'
import { connectHttp, connectStdio, dataOf } from './connect.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const accept = { accept: 'application/json, text/event-stream' }

describe('MCP opens only to keys, and shows them only their own', () => {
  const server = useServer()

  test('without a key or with a wrong one nothing is served', async () => {
    for (const key of [null, 'ck_x.default.wrong']) {
      const { status, body } = await server.as(key)('POST', '/mcp', initialize, accept)
      assert.equal(status, 401)
      assert.equal(body.error, 'unauthenticated')
    }
    await assert.rejects(connectHttp(server.url, 'wrong'))
  })

  test('over stdio, a wrong key is reported by the first tool call', async () => {
    await using mcp = await connectStdio(['--url', server.url, '--key', 'wrong'], {})
    const { text, isError } = await mcp.call('list', { ref: 'r' })
    assert.ok(isError)
    assert.match(text, /^unauthenticated: .*Send a valid API key/)
  })

  test('a missing scope is named', async () => {
    const { call } = await server.tenant()
    const made = await call('POST', '/v1/host/colophon/keys', { name: 'reader', scopes: ['memory:read'] })
    await using mcp = await connectHttp(server.url, made.body.key)
    assert.ok(!(await mcp.call('list', { ref: 'r' })).isError)
    const { text, isError } = await mcp.call('remember', { ref: 'r', content: 'No.' })
    assert.ok(isError)
    assert.match(text, /^forbidden: .*memory:write/)
  })

  test('a writer that is not registered is named, and registered by a key that may do it', async () => {
    const { call, key } = await server.tenant()
    const made = await call('POST', '/v1/host/colophon/keys', { name: 'w', scopes: ['memory:read', 'memory:write'] })
    await using limited = await connectHttp(server.url, made.body.key, { ref: 'r', service: 'desk' })
    const refused = await limited.call('remember', { content: 'No.' })
    assert.ok(refused.isError)
    assert.match(refused.text, /^writer_invalid: The writer "desk" is not registered.*colophon writers add desk/)
    await using owner = await connectHttp(server.url, key, { ref: 'r', service: 'desk' })
    assert.ok(!(await owner.call('remember', { content: 'Yes.' })).isError)
    assert.ok(!(await limited.call('remember', { content: 'Now too.' })).isError)
    const [writer] = (await call('GET', '/v1/tenant/service-writers')).body.data
    assert.equal(writer.authority_rules.default_priority, 0)
  })

  test('two tenants do not see each other', async () => {
    const [one, two] = [await server.tenant(), await server.tenant()]
    await using first = await connectHttp(server.url, one.key, { ref: 'r' })
    await using second = await connectHttp(server.url, two.key, { ref: 'r' })
    const { text } = await first.call('remember', { content: 'Of the first.' })
    const id = /mem_[0-9a-f-]+/.exec(text)?.[0]
    assert.match((await second.call('list')).text, /^There are no memories/)
    assert.match((await second.call('recall', { query: 'first' })).text, /^No memory matches/)
    for (const name of ['get', 'trace', 'forget']) assert.ok((await second.call(name, { id })).isError)
    assert.equal(dataOf((await first.call('list')).text).length, 1)
  })

  test('pages of other origins are turned away', async () => {
    const from = (origin: string) => server.call('POST', '/mcp', initialize, { ...accept, origin })
    const refused = await from('https://evil.example')
    assert.deepEqual([refused.status, refused.body.error], [403, 'origin_not_allowed'])
    assert.match(refused.body.details.hint, /COLOPHON_CORS_ORIGINS/)
    assert.equal((await from('null')).status, 403)
    assert.equal((await from(server.url)).status, 200)
  })

  test('a lone surrogate in a ref is refused', async () => {
    await using mcp = await connectHttp(server.url, server.key)
    const ref = 'notes\ud800'
    for (const [name, more] of Object.entries({ list: {}, remember: { content: 'x' }, recall: { query: 'x' } })) {
      const { text, isError } = await mcp.call(name, { ref, ...more })
      assert.ok(isError)
      assert.match(text, /^validation_error: .*lone surrogate/, name)
    }
  })

  test('there are no sessions to open or to end, and one place at most', async () => {
    assert.equal((await server.call('GET', '/mcp', undefined, accept)).status, 405)
    assert.equal((await server.call('DELETE', '/mcp', undefined, accept)).status, 405)
    assert.equal((await server.call('POST', '/mcp?ref=a&subject=b', initialize, accept)).status, 400)
    const { code } = await runCli(['mcp', '--ref', 'a', '--subject', 'b'])
    assert.equal(code, 2)
  })

  test('no memory text is in the logs', async () => {
    const logged: string[] = []
    await using http = await connectHttp(server.url, server.key, { ref: 'logs' })
    await using stdio = await connectStdio(['--url', server.url, '--key', server.key], {}, (line) => logged.push(line))
    await http.call('remember', { content: 'A marmoset over HTTP.' })
    await stdio.call('remember', { ref: 'logs', content: 'A marmoset over stdio.' })
    await http.call('recall', { query: 'marmoset' })
    await stdio.call('remember', { ref: 'logs', content: 'A marmoset too late.', expires_at: '2001-01-01T00:00:00Z' })
    assert.doesNotMatch(server.logs() + logged.join(''), /marmoset/)
    assert.ok(server.logs().includes('/mcp'))
  })
})
