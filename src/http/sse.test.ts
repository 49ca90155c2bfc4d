import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { formatEvent, openEventStream, openStreams, watchOpenStreams } from './sse.ts'
import { createStreamSlots } from './stream-slots.ts'

const halfBacklogBytes = 524_288

/** A connection whose client reads only when the test lets it. */
class Connection extends EventEmitter {
  readonly written: string[] = []
  head: Record<string, string> = {}
  _header = 'x'.repeat(600)
  writableLength = 0
  isEnded = false
  isDestroyed = false
  isReading = true
  writeHead(_status: number, head: Record<string, string>) {
    this.head = head
  }
  write(text: string) {
    this.written.push(text)
    if (!this.isReading) this.writableLength += text.length
  }
  cork() {}
  uncork() {}
  flushHeaders() {}
  end() {
    this.isEnded = true
  }
  destroy() {
    this.isDestroyed = true
  }
}

const request = { principal: { keyId: 'key_1', tenantId: 'acme' } }

function openConnection(stopping = new AbortController()) {
  const raw = new Connection()
  const reply = { raw, hijack() {}, getHeaders: () => ({ 'x-request-id': 'req_1' }), request }
  const slots = createStreamSlots({ perKey: 10_000, perTenant: () => 10_000 })
  const stream = openEventStream(reply as unknown as FastifyReply, stopping.signal, slots)
  return { raw, stream, stopping }
}

test('an event is framed as id, type and one line of JSON', () => {
  const frame = formatEvent({ event: 'change', data: { text: 'two\nlines' }, id: '7' })
  assert.equal(frame, 'id: 7\nevent: change\ndata: {"text":"two\\nlines"}\n\n')
  assert.equal(formatEvent({ event: 'gap', data: null }), 'event: gap\ndata: null\n\n')
})

test('a stream begins with its headers and a comment, keeps those of the reply, and is counted while it is open', () => {
  const before = openStreams()
  const counts: number[] = []
  watchOpenStreams((open) => counts.push(open - before))
  const { raw, stream } = openConnection()
  assert.equal(openStreams(), before + 1)
  assert.equal(raw.head['content-type'], 'text/event-stream; charset=utf-8')
  assert.deepEqual([raw.head['x-request-id'], raw.head['cache-control']], ['req_1', 'no-store'])
  assert.deepEqual(raw.written, [': connected\n\n'])
  stream.end()
  stream.end()
  watchOpenStreams(() => {})
  assert.deepEqual([openStreams(), raw.isEnded, stream.signal.aborted, counts], [before, true, true, [1, 0]])
})

test('a stream ends when the client disconnects, when the connection fails and when the server stops', () => {
  const before = openStreams()
  const left = openConnection()
  left.raw.emit('close')
  const failed = openConnection()
  failed.raw.emit('error')
  const stopped = openConnection()
  stopped.stopping.abort()
  const late = openConnection(stopped.stopping)
  for (const { stream } of [left, failed, stopped, late]) assert.equal(stream.signal.aborted, true)
  assert.equal(openStreams(), before)
})

test('what waits for the end of a stream is called once, also if the stream has ended before', () => {
  const { raw, stream } = openConnection()
  const called: string[] = []
  stream.onEnd(() => called.push('first'))
  stream.onEnd(() => called.push('second'))
  raw.emit('close')
  stream.end()
  stream.onEnd(() => called.push('late'))
  assert.deepEqual(called, ['first', 'second', 'late'])
})

test('a stream does not keep the text of its head', () => {
  const { raw, stream } = openConnection()
  assert.ok(raw._header.length < 40)
  stream.end()
})

test('nothing is written after the end', () => {
  const { raw, stream } = openConnection()
  stream.end()
  stream.send('late')
  assert.ok(!raw.written.includes('late'))
})

test('a comment is sent at intervals, so that proxies keep the connection', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { raw, stream } = openConnection()
  t.mock.timers.tick(30_000)
  assert.deepEqual(raw.written.slice(1), [': still here\n\n', ': still here\n\n'])
  stream.end()
  t.mock.timers.tick(30_000)
  assert.equal(raw.written.length, 3)
})

test('a client that reads too slowly gets the reason, and its connection is destroyed after a delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { raw, stream } = openConnection()
  raw.isReading = false
  stream.send('x'.repeat(2 * halfBacklogBytes))
  assert.equal(stream.signal.aborted, false)
  stream.send('x')
  assert.equal(stream.signal.aborted, true)
  assert.match(raw.written.at(-1) ?? '', /^event: dropped\ndata: .*"slow_reader"/)
  t.mock.timers.tick(29_999)
  assert.equal(raw.isDestroyed, false)
  t.mock.timers.tick(1)
  assert.equal(raw.isDestroyed, true)
})

test('a sender waits while half of the backlog is used, until it drains or the stream ends', async () => {
  const isDone = async (waiting: Promise<void>) => {
    const still = new Promise<'still'>((resolve) => setImmediate(resolve, 'still'))
    return (await Promise.race([waiting, still])) !== 'still'
  }
  const { raw, stream } = openConnection()
  raw.writableLength = halfBacklogBytes - 1
  assert.equal(await isDone(stream.drained()), true)
  raw.writableLength = halfBacklogBytes
  const waiting = stream.drained()
  assert.equal(await isDone(waiting), false)
  raw.emit('drain')
  assert.equal(await isDone(waiting), true)
  const ending = stream.drained()
  stream.end()
  assert.equal(await isDone(ending), true)
  assert.equal(raw.listenerCount('drain'), 0)
  assert.equal(await isDone(stream.drained()), true)
})
