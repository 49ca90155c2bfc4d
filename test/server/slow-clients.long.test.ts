import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { openRaw, statusOf } from '../support/raw-http.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openChanges } from '../support/sse.ts'

const host = '/v1/host/colophon'
/** The documented limits are 15 s for headers and 60 s for a request; Node looks every 30 s. */
const headersMsMax = 50_000
const requestMsMax = 100_000

describe('the server limits its waiting', { concurrency: true, timeout: 150_000 }, () => {
  test('for headers that are sent one byte at a time', async () => {
    await using server = await startServerProcess()
    const connection = await openRaw(server.url)
    connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ')
    const drip = setInterval(() => connection.send('x'), 500)
    await eventually('the server gives up', async () => connection.isClosed(), headersMsMax).finally(() =>
      clearInterval(drip),
    )
    assert.ok([0, 408].includes(statusOf(connection.received())), connection.received())
    assert.equal((await server.call('GET', '/healthz')).status, 200)
  })

  test('for a body that is sent one byte at a time', async () => {
    await using server = await startServerProcess()
    const connection = await openRaw(server.url)
    connection.send(
      `POST ${host}/memory/notes/entries HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
    )
    const drip = setInterval(() => connection.send(' '), 500)
    await eventually('the server gives up', async () => connection.isClosed(), requestMsMax).finally(() =>
      clearInterval(drip),
    )
    assert.ok([0, 408].includes(statusOf(connection.received())), connection.received())
  })

  test('and an idle stream sends comments as keep-alive, which are not events', async () => {
    await using server = await startServerProcess()
    await using stream = await openChanges(server.url, server.key)
    await eventually('two heartbeats', async () => stream.comments.length >= 3, 60_000)
    assert.deepEqual(stream.events, [])
  })

  test('and a stream of a disabled tenant ends', async () => {
    await using server = await startServerProcess()
    const { id, key } = await server.tenant()
    await using stream = await openChanges(server.url, key)
    await server.as(server.operatorKey)('POST', `${host}/tenants/${id}:disable`)
    let isOver = false
    void stream.ended.then(() => {
      isOver = true
    })
    await eventually('the stream is over', async () => isOver, 60_000)
  })
})
