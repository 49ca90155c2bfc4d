import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { startServer, type Tenant, type TestServer } from '../support/server.ts'

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const bodyLimitBytes = 4_096

describe('an invalid request is refused in the error envelope of its family', () => {
  let server: TestServer
  let tenant: Tenant
  before(async () => {
    server = await startServer({ env: { COLOPHON_BODY_LIMIT_BYTES: String(bodyLimitBytes) } })
    tenant = await server.tenant()
  })
  after(() => server[Symbol.asyncDispose]())

  test('unknown query parameters', async () => {
    const calls = [
      ...[notes, `${notes}/none`, `${notes}/none/colophon`, '/v1/memory/notes', '/v1/audit/verify'].map(
        (path) => `GET ${path}`,
      ),
      ...['memory', 'keys', 'secrets', 'rules', 'changes', 'audit'].map((name) => `GET ${host}/${name}`),
      ...[notes, `${notes}:batch`, `${host}/keys`, `${host}/rules:test`].map((path) => `POST ${path}`),
      ...[`PUT ${host}/secrets/one`, `DELETE ${notes}/none`, `DELETE ${host}/keys/none`],
    ].map((call) => call.split(' ') as [string, string])
    for (const [method, path] of calls) {
      const body = method === 'POST' || method === 'PUT' ? { content: 'x' } : undefined
      const answer = await tenant.call(method, `${path}?tenantId=default`, body)
      assertError(answer, 400, 'validation_error')
    }
    assertProvenanceError(await tenant.call('GET', '/v1/tenant/settings?x=1'), 422, 'validation_error')
  })

  test('empty and repeated query parameters', async () => {
    for (const query of [
      'limit=-1',
      'limit=many',
      'limit=1.5',
      'limit=1&limit=2',
      'tag=a&tag=b',
      'tag=',
      'cursor=',
      'cursor=e30',
      'asOf=',
    ]) {
      assertError(await tenant.call('GET', `${notes}?${query}`), 400, 'validation_error')
    }
    for (const query of ['after=-1', 'after=now', 'after=1&after=2']) {
      assertError(await tenant.call('GET', `${host}/changes?${query}`), 400, 'validation_error')
    }
  })

  test('unknown members of a body, and members of the wrong type', async () => {
    for (const wrong of [
      { contents: 'x' },
      { content: 'x', id: 'mine' },
      { content: 'x', createdAt: '2030-01-01T00:00:00Z' },
      { content: 1 },
      { content: null },
      { content: 'x', tags: 'a' },
      { content: 'x', tags: [1] },
      [],
      'text',
      null,
      1,
    ]) {
      assertError(await tenant.call('POST', notes, JSON.stringify(wrong)), 400, 'validation_error')
      assertError(await tenant.call('POST', `${notes}:batch`, { entries: [wrong] }), 400, 'validation_error')
    }
    const more = { entries: [{ content: 'x' }], more: 1 }
    assertError(await tenant.call('POST', `${notes}:batch`, more), 400, 'validation_error')
    for (const wrong of [{ policy: 'none' }, { redaction_policy: 'off' }, { history_retention_days: 0 }, []]) {
      assertProvenanceError(await tenant.call('PATCH', '/v1/tenant/settings', wrong), 422, 'validation_error')
    }
  })

  test('an error names the field and does not repeat its value', async () => {
    const answer = await tenant.call('POST', notes, {
      content: 'x',
      tags: [{ canary: 'do-not-repeat' }],
      'do-not-repeat': 1,
    })
    assertError(answer, 400, 'validation_error')
    assert.match(answer.text, /tags/)
    assert.ok(!answer.text.includes('do-not-repeat'), answer.text)
  })

  test('invalid JSON, and a body that is not JSON', async () => {
    for (const text of [
      '{',
      '{"content":"x"',
      '',
      '{"content":"x"}{}',
      "{'content':'x'}",
      '{"__proto__":{},"content":"x"}',
    ]) {
      assertError(await tenant.call('POST', notes, text), 400, 'validation_error')
    }
    assertProvenanceError(await tenant.call('PATCH', '/v1/tenant/settings', '{'), 422, 'validation_error')
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const answer = await tenant.call('POST', notes, '{"content":"x"}', { 'content-type': type })
      assertError(answer, 415, 'unsupported_media_type')
    }
    const settings = await tenant.call('PATCH', '/v1/tenant/settings', '{}', { 'content-type': 'application/xml' })
    assertProvenanceError(settings, 415)
    const utf8 = { 'content-type': 'application/json; charset=utf-8' }
    assert.equal((await tenant.call('POST', notes, '{"content":"x"}', utf8)).status, 201)
  })

  test('a body over the limit', async () => {
    const large = { content: 'x'.repeat(bodyLimitBytes) }
    assertError(await tenant.call('POST', notes, large), 413, 'payload_too_large')
    assertProvenanceError(await tenant.call('PATCH', '/v1/tenant/settings', large), 413, 'payload_too_large')
    assertError(await server.as(null)('POST', notes, large), 401, 'unauthenticated')
    assert.ok(!(await tenant.call('GET', notes)).text.includes('xxx'))
  })

  test('unknown paths and methods', async () => {
    for (const path of [
      '/nothing',
      '/v1',
      '/v2/runs',
      `${host}/nothing`,
      `${notes}:merge`,
      '/v1/memory',
      '/v1/memoriesx',
      '/v1/tenants',
    ]) {
      assertError(await tenant.call('GET', path), 404, 'not_found')
    }
    for (const path of ['/v1/tenant/nothing', '/v1/tenant', '/v1/memories/nothing/at/all', '/v1/tenant/settings/x']) {
      assertProvenanceError(await tenant.call('GET', path), 404, 'not_found')
    }
  })

  test('another method of a known path', async () => {
    const put = await tenant.call('PUT', notes, {})
    assertError(put, 405, 'method_not_allowed')
    assert.equal(put.headers.get('allow'), 'GET, HEAD, POST')
    assert.deepEqual(put.body.details.allowed, ['GET', 'HEAD', 'POST'])
    assertError(await tenant.call('DELETE', `${notes}:batch`), 405, 'method_not_allowed')
    assertProvenanceError(await tenant.call('DELETE', '/v1/tenant/settings'), 405, 'method_not_allowed')
    assertError(await server.as(null)('PUT', notes, {}), 401, 'unauthenticated')
  })

  test('a ref with a slash that was not encoded', async () => {
    const list = await tenant.call('GET', notes.replace('notes', 'team/notes'))
    assertError(list, 404, 'not_found')
    assert.equal(list.body.details.field, 'ref')
    assert.match(list.body.message, /%2F/)
    assert.equal((await tenant.call('GET', notes.replace('notes', 'team%2Fnotes'))).status, 200)
  })

  test('every response has its request id and is not cacheable', async () => {
    const answers = await Promise.all([
      tenant.call('GET', notes),
      tenant.call('GET', '/none'),
      server.as(null)('GET', notes),
    ])
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    assert.equal(new Set(ids).size, 3)
    for (const { headers } of answers) {
      assert.match(headers.get('x-request-id') ?? '', /^req_/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
    const forged = await tenant.call('GET', notes, undefined, { 'x-request-id': 'mine', 'request-id': 'mine' })
    assert.notEqual(forged.headers.get('x-request-id'), 'mine')
  })
})
