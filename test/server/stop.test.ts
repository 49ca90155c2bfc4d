import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { openRaw } from '../support/raw-http.ts'
import { createHome } from '../support/server.ts'
import { launchServer, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { openChanges, openRequests } from '../support/sse.ts'
import { isThorough } from '../support/thorough.ts'

after(releaseServer)

const path = '/v1/host/colophon/memory/notes/entries'
const stopMsMax = 10_000
const body = JSON.stringify({ content: 'sent in two pieces' })

/** A put of which the server has the headers and half of the body. */
const beginPut = (server: ServerProcess, connectionHeader?: string) => beginPost(server, path, body, connectionHeader)

async function beginPost(
  server: ServerProcess,
  path: string,
  body: string,
  connectionHeader = 'Connection: close\r\n',
) {
  const connection = await openRaw(server.url)
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n` +
      `${connectionHeader}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  await eventually('the server works on the request', async () => (await openRequests(server.url)) >= 1)
  return connection
}

async function isGone(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  )
}

describe('a server that receives a stop signal', { concurrency: true }, () => {
  test('ends streams at once, limits its wait for a slow request, and exits with 0 in time', async () => {
    await using server = await startServerProcess()
    const slow = await beginPut(server)
    await using stream = await openChanges(server.url, server.key)
    await server.call('POST', path, { content: 'tea' })
    await stream.until('the stream runs', (events) => events.length === 1)
    const asked = Date.now()
    const ended = server.stop()
    await stream.ended
    assert.deepEqual(await ended, { code: 0, signal: null }, server.logs())
    assert.ok(Date.now() - asked < stopMsMax, `it took ${Date.now() - asked} ms`)
    slow.destroy()
  })

  for (const storage of ['sqlite', 'postgres'] as const) {
    test(`on ${storage} finishes active requests, and everything it acknowledged is stored`, async () => {
      await using home = await createHome(storage)
      await using server = await startServerProcess({ home })
      const slow = await beginPut(server)
      const ended = server.stop()
      await eventually('the server takes no new connections', () => isGone(server.url))
      slow.send(body.slice(10))
      const answer = await slow.closed()
      assert.match(answer, /^HTTP\/1\.1 201 /)
      assert.deepEqual(await ended, { code: 0, signal: null }, server.logs())

      await using next = await startServerProcess({ home })
      const { entries } = (await next.call('GET', path)).body
      assert.deepEqual(entries, [JSON.parse(answer.slice(answer.indexOf('{')))])
    })
  }

  test('answers an active request that it interrupts with an error code, so that its client retries elsewhere', async () => {
    await using server = await startServerProcess()
    await server.call('POST', path, { content: 'tea' })
    const body = JSON.stringify({ memoryRef: 'notes', tokenBudget: 2_000 })
    const slow = await beginPost(server, '/v1/host/colophon/distillations', body)
    const ended = server.stop()
    await eventually('the server takes no new connections', () => isGone(server.url))
    slow.send(body.slice(10))
    const answer = await slow.closed()
    assert.match(answer, /^HTTP\/1\.1 503 /)
    assert.match(answer, /^retry-after: 1\r$/im)
    assert.match(answer, /"error":"closed"/)
    assert.deepEqual(await ended, { code: 0, signal: null }, server.logs())
  })

  test('answers later requests on an open connection with an error code and Retry-After', async () => {
    await using server = await startServerProcess()
    const slow = await beginPut(server, '')
    const ended = server.stop()
    await eventually('the server takes no new connections', () => isGone(server.url))
    slow.send(`${body.slice(10)}GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const [first = '', second = ''] = (await slow.closed()).split(/(?=HTTP\/1\.1)/)
    assert.match(first, /^HTTP\/1\.1 201 /)
    assert.match(second, /^HTTP\/1\.1 503 /)
    assert.match(second, /^retry-after: 1\r$/im)
    assert.match(second, /"error":"closed"/)
    assert.deepEqual(await ended, { code: 0, signal: null }, server.logs())
  })

  test('closes a connection without a request at once, and goes on with active requests', async () => {
    await using server = await startServerProcess()
    const unused = await openRaw(server.url)
    const slow = await beginPut(server)
    const ended = server.stop()
    assert.equal(await unused.closed(), '')
    slow.send(body.slice(10))
    assert.match(await slow.closed(), /^HTTP\/1\.1 201 /)
    assert.deepEqual(await ended, { code: 0, signal: null }, server.logs())
  })

  test('exits with 0 after two signals, and after SIGINT too', async () => {
    await using server = await startServerProcess()
    await server.call('GET', '/healthz')
    process.kill(server.pid, 'SIGINT')
    assert.deepEqual(await server.stop(), { code: 0, signal: null })
  })

  test('stops cleanly as soon as it has reported that it listens, and unlocks its data folder', async () => {
    await using home = await createHome('sqlite')
    for (const _round of isThorough ? [1, 2, 3, 4, 5] : [1, 2]) {
      const child = launchServer({ ...home.env, COLOPHON_PORT: '0' })
      assert.notEqual(await child.listening, null, child.logs())
      assert.deepEqual(await child.signal('SIGTERM'), { code: 0, signal: null })
    }
  })
})
