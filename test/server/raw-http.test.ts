import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openRaw, sendRaw, statusOf } from '../support/raw-http.ts'
import { useServer } from '../support/server.ts'

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const canary = 'canary-of-the-path'

describe('malformed HTTP', () => {
  const server = useServer()

  const authorized = () => `Host: localhost\r\nAuthorization: Bearer ${server.key}\r\n`
  const put = (headers: string, body: string) =>
    `POST ${notes} HTTP/1.1\r\n${authorized()}Content-Type: application/json\r\n${headers}\r\n\r\n${body}`

  test('a request that is refused by its headers and has a malformed body gets one response', async () => {
    const headers = 'Host: elsewhere.example\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked'
    const answer = await sendRaw(server.url, `POST ${notes} HTTP/1.1\r\n${headers}\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`)
    assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, answer)
  })

  /** A refusal is 4xx in the closed envelope, or a closed connection; and the server keeps serving other clients. */
  async function assertRefused(answer: string, what: string): Promise<void> {
    if (answer !== '') {
      assert.ok(statusOf(answer) >= 400 && statusOf(answer) < 500, `${what}: ${answer}`)
      assert.ok(!answer.includes(server.key) && !answer.includes(canary), `${what} is repeated: ${answer}`)
      // Node itself refuses these two, before the server knows of them.
      if (!['no host', 'an expectation'].includes(what))
        assert.match(answer, /^x-request-id: req_/im, `${what}: ${answer}`)
    }
    assert.equal((await server.call('GET', '/healthz')).status, 200, what)
  }

  const shapes: Record<string, () => string | Buffer> = {
    garbage: () => 'garbage\r\n\r\n',
    bytes: () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0xff, 0x0d, 0x0a, 0x0d, 0x0a]),
    'another protocol': () => 'SSH-2.0-OpenSSH_9.9\r\n\r\n',
    'HTTP/2 without asking': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a version that does not exist': () => 'GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n',
    'no host': () => `GET /${canary} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    'two hosts': () => `GET /${canary} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
    'large headers': () => `GET /${canary} HTTP/1.1\r\n${authorized()}X: ${'x'.repeat(100_000)}\r\n\r\n`,
    'too many headers': () => `GET / HTTP/1.1\r\n${authorized()}${'X: y\r\n'.repeat(20_000)}\r\n`,
    'a negative length': () => put('Content-Length: -5', '{}'),
    'a length that is not a number': () => put('Content-Length: 2, 3', '{}'),
    'two lengths': () => put('Content-Length: 2\r\nContent-Length: 40', '{}'),
    'a length and chunks': () =>
      put(
        'Content-Length: 4\r\nTransfer-Encoding: chunked',
        `0\r\n\r\nGET /${canary} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ),
    'chunks under another name': () =>
      put('Transfer-Encoding: xchunked', `0\r\n\r\nGET /${canary} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    'chunks after something else': () => put('Transfer-Encoding: chunked, identity', '0\r\n\r\n'),
    'a space before the colon': () => put('Transfer-Encoding : chunked', '0\r\n\r\n'),
    'a chunk with a wrong length': () => put('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
    'a folded header': () => `GET /${canary} HTTP/1.1\r\n${authorized()}X: a\r\n b: c\r\nConnection: close\r\n\r\n`,
    'a bare line feed in a header': () =>
      `GET /${canary} HTTP/1.1\r\n${authorized()}X: a\nY: b\r\nConnection: close\r\n\r\n`,
    'NUL in the path': () => `GET /${canary}\u0000 HTTP/1.1\r\n${authorized()}\r\n`,
    'NUL in a header': () => `GET /${canary} HTTP/1.1\r\n${authorized()}X: a\u0000b\r\n\r\n`,
    'a path without a slash': () => `GET ${canary} HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    'a tunnel': () => `CONNECT ${canary}:443 HTTP/1.1\r\n${authorized()}\r\n`,
    'an expectation': () => put(`Expect: ${canary}\r\nContent-Length: 2\r\nConnection: close`, '{}'),
    'invalid percent-encoding': () => `GET /${canary}/%zz HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    'invalid percent-encoding in a ref': () =>
      `GET ${host}/memory/${canary}%f/entries HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    'percent-encoding that is not UTF-8': () =>
      `GET ${host}/memory/${canary}%ff%fe/entries HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    'a path of 10 kB': () => `GET /${canary}${'x'.repeat(10_000)} HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    'a ref of 10 kB': () =>
      `GET ${host}/memory/${canary}${'x'.repeat(10_000)}/entries HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
  }
  for (const [what, bytes] of Object.entries(shapes)) {
    test(`${what} is refused and affects no other request`, async () =>
      assertRefused(await sendRaw(server.url, bytes()), what))
  }

  test('HEAD is refused without a body', async () => {
    const answer = await sendRaw(server.url, `HEAD /${'x'.repeat(20_000)} HTTP/1.1\r\n${authorized()}\r\n`)
    assert.equal(statusOf(answer), 431, answer)
    assert.match(answer, /\r\n\r\n$/)
  })

  test('every refusal that has a body has the closed envelope', async () => {
    const open: string[] = []
    for (const [what, bytes] of Object.entries(shapes)) {
      const answer = await sendRaw(server.url, bytes())
      const start = answer.indexOf('{')
      if (start < 0 || /^transfer-encoding/im.test(answer)) continue
      const body = JSON.parse(answer.slice(start)) as Record<string, unknown>
      const extra = Object.keys(body).filter((member) => !['error', 'message', 'details'].includes(member))
      if (extra.length > 0 || !/^[a-z_]+$/.test(String(body.error)))
        open.push(`${what}: ${answer.slice(start, start + 120)}`)
    }
    assert.deepEqual(open, [])
  })

  test('a ref of dots addresses only itself', async () => {
    for (const path of [
      `${host}/memory/../keys`,
      `${host}/memory/%2e%2e/keys`,
      `${host}/memory/..%2fkeys/entries`,
      `/docs/../v1/audit/verify`,
      `//v1/audit/verify`,
    ]) {
      const bare = await sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      assert.ok([401, 404].includes(statusOf(bare)), `${path}: ${bare}`)
    }
    const list = await sendRaw(
      server.url,
      `GET ${host}/memory/../entries HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    )
    assert.match(list, /\{"entries":\[\],"position":\d+\}/)
  })

  test('pipelined requests are answered in order, each with its own key', async () => {
    const connection = await openRaw(server.url)
    const requests = ['/healthz', `${host}/memory`, '/none', `${host}/keys`].map(
      (path, index) =>
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${index === 1 ? `Authorization: Bearer ${server.key}\r\n` : ''}${index === 3 ? 'Connection: close\r\n' : ''}\r\n`,
    )
    connection.send(requests.join(''))
    const answers = await connection.closed()
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
    assert.deepEqual(statuses, ['200', '200', '401', '401'])
  })

  test('a smuggled second body is not stored', async () => {
    const hidden = put('Content-Length: 20', '{"content":"hidden"}')
    for (const headers of [
      'Content-Length: 2\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 2',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    ]) {
      await sendRaw(server.url, put(`${headers}\r\nConnection: close`, `2\r\n{}\r\n0\r\n\r\n${hidden}`))
    }
    assert.deepEqual((await server.call('GET', notes)).body.entries, [])
  })

  test('a HEAD request to a stream ends', async () => {
    const answer = await sendRaw(
      server.url,
      `HEAD ${host}/changes HTTP/1.1\r\n${authorized()}Connection: close\r\n\r\n`,
    )
    assert.notEqual(statusOf(answer), 0)
  })

  test('clients that disconnect in the middle of a body leave nothing stored or open', async () => {
    for (let index = 0; index < 20; index++) {
      const connection = await openRaw(server.url)
      connection.send(put('Content-Length: 1000', '{"content":"ne'))
      connection.destroy()
    }
    assert.deepEqual((await server.call('GET', notes)).body.entries, [])
  })
})
