import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openRaw } from '../support/raw-http.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { openChanges, type SseEvent } from '../support/sse.ts'

const host = '/v1/host/colophon'
const entriesOfNotes = `${host}/memory/notes/entries`
// Changes with many ids are large: together more than the buffers of the system and of the server can take.
const changesMax = 400
const idsPerChange = 1_000

/** Opens a stream from the current position, and does not read it. */
async function openUnread(server: ServerProcess) {
  const reader = await openRaw(server.url)
  reader.send(`GET ${host}/changes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\n\r\n`)
  await reader.until('it is connected', (text) => text.includes(': connected'))
  reader.socket.pause()
  return reader
}

const isDropped = (text: string) => text.includes('event: dropped\ndata: {"reason":"slow_reader"')

describe('readers of the change stream', () => {
  let server: ServerProcess
  let good: Awaited<ReturnType<typeof openChanges>>
  let unread: Awaited<ReturnType<typeof openUnread>>

  async function openStreams(): Promise<number> {
    const { text } = await server.as(null)('GET', '/metrics')
    return Number(/^colophon_event_streams_open (\d+)$/m.exec(text)?.[1])
  }

  let changes = 0

  // Until it is disconnected, and not longer: then it has some time to read the reason.
  before(async () => {
    server = await startServerProcess()
    good = await openChanges(server.url, server.key, { after: 0 })
    unread = await openUnread(server)
    const entries = Array.from({ length: idsPerChange }, () => ({ content: 'x' }))
    assert.equal(await openStreams(), 2)
    while ((await openStreams()) === 2) {
      assert.ok(changes < changesMax, 'it is never dropped')
      assert.equal((await server.call('POST', `${entriesOfNotes}:batch`, { entries })).status, 201)
      changes += 1
    }
  })

  after(() => server[Symbol.asyncDispose]())

  test('a reader that does not read is disconnected with a reason, and other readers are not affected', {
    timeout: 120_000,
  }, async () => {
    unread.socket.resume()
    await unread.until('the stream is over', (text) => isDropped(text) || unread.isClosed())
    const text = unread.received()
    assert.ok(isDropped(text), 'it was dropped without a reason')
    unread.destroy()
    await good.until('every change', (events) => events.length === changes)
    await server.call('POST', entriesOfNotes, { content: 'on we go' })
    await good.until('the last change', (events) => events.length === changes + 1)
  })

  test('a reader that reads a long history at full speed is not treated as slow', async () => {
    await using reader = await openChanges(server.url, server.key, { after: 0 })
    const isOver = ({ id, event }: SseEvent) => event === 'dropped' || Number(id) >= changes
    await reader.until('the end of the history', (events) => events.some(isOver))
    assert.equal(reader.events.at(-1)?.event, 'change', `dropped after ${reader.events.length} of ${changes} changes`)
  })
})
