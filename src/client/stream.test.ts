import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ChangeEvent, createClient } from './index.ts'

type SeenRequest = { url: URL; lastId: string | undefined }
/** The text of one connection, and whether the connection breaks instead of ending; or an error response. */
type Connection = { text: string; isCut?: boolean; stays?: boolean } | Response | 'down'

const change = (position: number, ref = 'r') =>
  `id: ${position}\nevent: change\ndata: ${JSON.stringify({ position, memoryRef: ref })}\n\n`

function scripted(connections: Connection[], others: (url: URL) => unknown = () => ({})) {
  const requests: SeenRequest[] = []
  const fake = async (given: string, { headers, signal }: RequestInit) => {
    const url = new URL(given)
    const { accept, 'last-event-id': lastId } = headers as Record<string, string>
    if (accept !== 'text/event-stream') return Response.json(others(url))
    requests.push({ url, lastId })
    const next = connections.shift() ?? 'down'
    if (next === 'down') throw new TypeError('fetch failed')
    if (next instanceof Response) return next
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(next.text))
        signal?.addEventListener('abort', () => controller.error(signal.reason))
        if (!next.stays && !next.isCut) controller.close()
      },
      pull(controller) {
        if (next.isCut) controller.error(new Error('reset'))
      },
    })
    return new Response(body)
  }
  const retry = { baseMs: 1, maxMs: 2 }
  return { requests, client: createClient({ url: 'http://host', fetch: fake as typeof fetch, retry }) }
}

async function take(count: number, events: AsyncIterable<ChangeEvent>): Promise<(number | string)[]> {
  const seen: (number | string)[] = []
  for await (const event of events) {
    seen.push(event.event === 'gap' ? `gap to ${event.to}` : event.position)
    if (seen.length === count) break
  }
  return seen
}

describe('the change stream', () => {
  test('resumes after the last change when the connection breaks, ends, or cannot be opened for a while', async () => {
    const { client, requests } = scripted([
      { text: `id: 3\n\n${change(4)}`, isCut: true },
      'down',
      'down',
      'down',
      'down',
      'down',
      { text: change(4) + change(6) },
      { text: change(6) + change(7), stays: true },
    ])
    assert.deepEqual(await take(3, client.changes({ after: 3 })), [4, 6, 7])
    assert.equal(requests[0]?.url.search, '?after=3')
    assert.deepEqual(
      requests.map(({ lastId }) => lastId),
      [undefined, '3', '3', '3', '3', '3', '3', '5'],
    )
  })

  test('loses no change when the connection breaks between two changes of one position', async () => {
    const both = change(4, 'a') + change(4, 'b')
    const { client } = scripted([
      { text: change(4, 'a'), isCut: true },
      { text: both + change(5), stays: true },
    ])
    const refs: string[] = []
    for await (const event of client.changes()) {
      if (event.event === 'change') refs.push(`${event.position}${event.memoryRef}`)
      if (refs.length === 3) break
    }
    assert.deepEqual(refs, ['4a', '4b', '5r'])
  })

  test('knows its position before the first change', async () => {
    const { client, requests } = scripted([
      { text: 'id: 41\n\n', isCut: true },
      { text: change(42), stays: true },
    ])
    assert.deepEqual(await take(1, client.changes()), [42])
    assert.deepEqual([requests[0]?.lastId, requests[1]?.lastId], [undefined, '41'])
  })

  test('reports a gap, and continues after it', async () => {
    const gap = 'id: 2\nevent: gap\ndata: {"from":9,"to":2,"reason":"position_not_reached"}\n\n'
    const { client, requests } = scripted([
      { text: change(9), isCut: true },
      { text: gap, isCut: true },
      { text: change(3), stays: true },
    ])
    assert.deepEqual(await take(3, client.changes()), [9, 'gap to 2', 3])
    assert.equal(requests[2]?.lastId, '2')
  })

  test('reconnects after the server dropped a slow reader', async () => {
    const dropped = 'event: dropped\ndata: {"reason":"slow_reader"}\n\n'
    const { client } = scripted([{ text: change(1) + dropped }, { text: change(2), stays: true }])
    assert.deepEqual(await take(2, client.changes()), [1, 2])
  })

  test('fails when the server refuses the stream, at the start and later', async () => {
    const refusal = () => Response.json({ error: 'key_revoked', message: 'No.' }, { status: 401 })
    const first = scripted([refusal()])
    await assert.rejects(take(1, first.client.changes()), { code: 'key_revoked', status: 401 })
    const later = scripted([{ text: change(1) }, refusal()])
    await assert.rejects(take(2, later.client.changes()), { code: 'key_revoked' })
  })

  test('fails when the first connection cannot be opened', async () => {
    const { client, requests } = scripted([])
    await assert.rejects(take(1, client.changes()), { code: 'no_answer' })
    assert.equal(requests.length, 4)
  })

  test('ends without an error on abort, and reports the state of the connection', async () => {
    const stop = new AbortController()
    const states: string[] = []
    const { client } = scripted([{ text: change(1) }, { text: change(1), stays: true }])
    const onConnection = (state: string) => {
      states.push(state)
      if (states.length === 3) setTimeout(() => stop.abort(), 5)
    }
    assert.deepEqual(await take(9, client.changes({ signal: stop.signal, onConnection })), [1])
    assert.deepEqual(states, ['open', 'lost', 'open'])
  })

  test('closes a connection without data after idleMs, and opens a new one', async () => {
    const { client, requests } = scripted([
      { text: change(1), stays: true },
      { text: change(2), stays: true },
    ])
    assert.deepEqual(await take(2, client.changes({ idleMs: 20 })), [1, 2])
    assert.equal(requests.length, 2)
  })
})

const event = (sequence: number, type: string) =>
  `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify({ sequence, type })}\n\n`

describe('the events of a run', () => {
  test('resume after the last event, and end with the run', async () => {
    const { client, requests } = scripted(
      [{ text: event(0, 'run.started') }, { text: event(3, 'run.completed'), stays: true }],
      () => ({ status: 'running' }),
    )
    const seen: number[] = []
    for await (const { sequence } of client.runs.watch('run_1', { modes: ['updates', 'debug'] })) seen.push(sequence)
    assert.deepEqual(seen, [0, 3])
    assert.equal(requests[0]?.url.search, '?streamMode=updates%2Cdebug')
    assert.deepEqual([requests[0]?.lastId, requests[1]?.lastId], [undefined, '0'])
  })

  test('end with the run also when the last event has another mode', async () => {
    const { client, requests } = scripted([{ text: '' }, { text: event(5, 'output.chunk') }], () => ({
      status: 'completed',
    }))
    const seen: number[] = []
    for await (const { sequence } of client.runs.watch('run_1', { modes: ['messages'] })) seen.push(sequence)
    assert.deepEqual(seen, [5])
    assert.equal(requests.length, 2)
  })
})
