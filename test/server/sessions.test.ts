import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { limits } from '../../src/core/limits.ts'
import { runCli } from '../support/cli.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, createHome, startServer, storagesOfBehaviour, useServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { host } from './runs-calls.ts'

after(releaseServer)

const path = `${host}/session`
const entries = `${host}/memory/notes/entries`

/** The cookie that a response sets, as a browser sends it back. */
async function openSession(call: Call, headers: Record<string, string> = {}) {
  const opened = await call('POST', path, undefined, headers)
  assert.equal(opened.status, 201, opened.text)
  const header = opened.headers.get('set-cookie') ?? ''
  return { cookie: header.split(';')[0] ?? '', header, opened }
}

for (const storage of storagesOfBehaviour) {
  describe(`sessions of the console, on ${storage}`, () => {
    const server = useServer({ storage })
    const own = () => ({ origin: server.url })
    const browse = (cookie: string, method: string, url: string, body?: unknown, headers: object = own()) =>
      server.as(null)(method, url, body, { cookie, ...headers })

    test('a session has the rights of its key, in a cookie that no script reads', async () => {
      const { id, call } = await server.tenant()
      const { key } = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
      const { cookie, header, opened } = await openSession(server.as(key))
      assert.match(header, /^colophon_session_\d+=cs_[^;]+; Path=\/v1; HttpOnly; SameSite=Strict$/)
      assert.deepEqual([opened.body.tenant, opened.body.name], [id, 'reader'])
      assert.doesNotMatch(opened.text, /cs_/)
      assert.equal((await browse(cookie, 'GET', path)).body.name, 'reader')
      assert.equal((await browse(cookie, 'POST', entries, { content: 'x' })).status, 403)
      assert.match((await openSession(server.as(key), { origin: 'https://memory.example' })).header, /; Secure$/)
    })

    test('a session ends by logging out, and its cookie is worth nothing afterwards', async () => {
      const { call } = await server.tenant()
      const { cookie } = await openSession(call)
      const ended = await browse(cookie, 'DELETE', path)
      assert.deepEqual([ended.status, ended.body.ended], [200, true])
      assert.match(ended.headers.get('set-cookie') ?? '', /=; Max-Age=0; Path=\/v1/)
      for (const method of ['GET', 'DELETE']) assert.equal((await browse(cookie, method, path)).status, 401)
      assert.equal((await call('DELETE', path)).body.ended, false)
    })

    test('a session ends with its key, and when the tenant is disabled', async () => {
      const { id, call } = await server.tenant()
      const made = (await call('POST', `${host}/keys`, { name: 'ends', scopes: ['memory:read'] })).body
      const { cookie } = await openSession(server.as(made.key))
      const { cookie: ofTenant } = await openSession(call)
      await call('DELETE', `${host}/keys/${made.id}`)
      assert.equal((await browse(cookie, 'GET', path)).body.error, 'key_revoked')
      assert.equal((await browse(ofTenant, 'GET', path)).status, 200)
      const operator = server.as(server.operatorKey)
      assert.equal((await operator('POST', `${host}/tenants/${id}:disable`)).status, 200)
      assert.equal((await browse(ofTenant, 'GET', path)).status, 401)
    })

    test('a write must come from a page of this server', async () => {
      const { call } = await server.tenant()
      const { cookie } = await openSession(call)
      const refused = [
        {},
        { origin: 'https://evil.example' },
        { origin: 'null' },
        // Another port is the same site, so the browser sends the cookie.
        { origin: 'http://127.0.0.1:1' },
        { origin: server.url, 'sec-fetch-site': 'cross-site' },
        { origin: server.url, 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
        { origin: 'https://evil.example', 'content-type': 'text/plain' },
      ]
      for (const headers of refused) {
        const answer = await browse(cookie, 'POST', entries, { content: 'forged' }, headers)
        assert.deepEqual([answer.status, answer.body.error], [403, 'origin_not_allowed'], JSON.stringify(headers))
      }
      assert.equal((await browse(cookie, 'GET', entries, undefined, { 'sec-fetch-site': 'cross-site' })).status, 403)
      assert.deepEqual((await call('GET', entries)).body.entries, [])
      for (const headers of [own(), { 'sec-fetch-site': 'same-origin' }])
        assert.equal((await browse(cookie, 'POST', entries, { content: 'own' }, headers)).status, 201)
      assert.equal((await browse(cookie, 'GET', entries, undefined, {})).body.entries.length, 2)
    })

    test('a session makes no credentials, and is refused by MCP and mem0', async () => {
      const { call } = await server.tenant()
      const made = (await call('POST', `${host}/keys`, { name: 'k', scopes: ['memory:read'] })).body
      const { cookie } = await openSession(call)
      for (const [method, url, body] of [
        ['POST', `${host}/keys`, { name: 'stolen', scopes: ['memory:read'] }],
        ['POST', `${host}/keys/${made.id}:rotate`, {}],
        ['POST', path, undefined],
        // What these give goes on without the session.
        ['GET', `${host}/runs/run_1/interrupts/ask/token`, undefined],
        ['POST', '/v1/webhooks', { url: 'https://hooks.example/in', events: ['run.completed'] }],
        ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
        ['GET', '/mem0/v1/memories/?user_id=ada', undefined],
      ] as const) {
        const answer = await browse(cookie, method, url, body)
        assert.deepEqual([answer.status, answer.body.error], [403, 'key_required'], url)
      }
      assert.equal((await call('GET', `${host}/keys`)).body.keys.length, 2)
      assert.equal((await browse(cookie, 'GET', `${host}/tenants`)).status, 401, 'nor is it the operator')
    })

    test('with a header, the header decides alone', async () => {
      const { id, call } = await server.tenant()
      const other = await server.tenant()
      const { cookie } = await openSession(call)
      assert.equal((await other.call('GET', path, undefined, { cookie })).body.tenant, other.id)
      assert.equal((await other.call('DELETE', path, undefined, { cookie })).body.ended, false)
      assert.equal((await browse(cookie, 'GET', path)).body.tenant, id)
      for (const authorization of ['Bearer wrong', 'Basic eDp5', `Session ${cookie.split('=')[1]}`, ''])
        assert.equal((await browse(cookie, 'GET', path, undefined, { authorization })).status, 401, authorization)
      assert.equal((await server.as(cookie.split('=')[1] ?? '')('GET', path)).status, 401, 'a session is no key')
    })

    test('a session is bound to its tenant, and a planted cookie gains nothing', async () => {
      const { call } = await server.tenant()
      const victim = await server.tenant()
      const { cookie } = await openSession(call)
      assert.equal((await browse(cookie.replace(/\.[^.]+\./, `.${victim.id}.`), 'GET', path)).status, 401)
      // Fixation: a log-in over a planted session makes another one.
      const { cookie: fresh } = await openSession(victim.call, { cookie })
      assert.notEqual(fresh, cookie)
      assert.notEqual((await browse(cookie, 'GET', path)).body.tenant, victim.id)
      const [name] = cookie.split('=')
      const wrongSecret = `${cookie.slice(0, -8).slice(`${name}=`.length)}AAAAAAAA`
      for (const invented of ['', 'x', wrongSecret, `cs_${crypto.randomUUID()}.${victim.id}.${'A'.repeat(43)}`])
        assert.equal((await browse(`${name}=${invented}`, 'GET', path)).status, 401)
    })

    test('a key that opens many sessions logs out no other', async () => {
      const { call } = await server.tenant()
      const { key } = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
      const { cookie } = await openSession(call)
      const reader = server.as(key)
      const { cookie: oldest } = await openSession(reader)
      for (let opened = 0; opened < limits.sessionsPerKeyMax; opened += 20)
        await Promise.all(Array.from({ length: 20 }, () => openSession(reader)))
      await openSession(reader)
      assert.equal((await browse(oldest, 'GET', path)).status, 401)
      assert.equal((await browse(cookie, 'GET', path)).status, 200)
    })

    test('log-ins are in the audit log, with the key, and without the session', async () => {
      const { call } = await server.tenant()
      const { cookie } = await openSession(call)
      await browse(cookie, 'DELETE', path)
      const audit = await call('GET', `${host}/audit`)
      const kinds = audit.body.records.map(({ kind }: { kind: string }) => kind)
      assert.deepEqual(kinds.slice(-2), ['admin.session.created', 'admin.session.ended'])
      assert.ok(!audit.text.includes(cookie.split('.').at(-1) ?? ''))
      assert.equal((await call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
    })
  })
}

test('a session of a configured key ends when the key is replaced, and a restored backup has none', async () => {
  await using home = await createHome('sqlite')
  const first = await startServer({ home })
  const port = new URL(first.url).port
  const { cookie } = await openSession(first.call)
  const session = cookie.split('=')[1]
  await first[Symbol.asyncDispose]()
  const folder = createFolder()
  const backup = folder.file('backup.db')
  const env = { ...home.env, COLOPHON_DATA_DIR: folder.file('restored') }
  for (const [args, used] of [
    [['backup', backup], home.env],
    [['restore', backup], env],
  ] as const) {
    const { code, stderr } = await runCli([...args], { env: used })
    assert.equal(code, 0, stderr)
  }
  const sessionsIn = (file: string) => {
    const count = "select count(*) from admin_record where kind = 'session'"
    return new Database(file, { readonly: true }).prepare(count).pluck().get()
  }
  assert.deepEqual([sessionsIn(backup), sessionsIn(folder.file('restored/colophon.db'))], [1, 0])
  const check = async (env: Record<string, string>) => {
    await using server = await startServer({ home, env: { COLOPHON_PORT: port, ...env } })
    const sent = `colophon_session_${new URL(server.url).port}=${session}`
    return (await server.as(null)('GET', path, undefined, { cookie: sent })).status
  }
  assert.equal(await check({ COLOPHON_BOOTSTRAP_KEY: first.key }), 200)
  assert.equal(await check({ COLOPHON_BOOTSTRAP_KEY: `${first.key}-other` }), 401)
})
