import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type ClientOptions, createClient } from './index.ts'

type Reply = object | 'cut'

/** A server that sends these responses in order, and repeats the last one. */
function scripted(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const requests: string[] = []
  const fake = async (url: string, init: RequestInit) => {
    const reply = replies[Math.min(requests.length, replies.length - 1)]
    requests.push(url.replace('http://host', ''))
    init.signal?.throwIfAborted()
    if (reply === 'cut') throw new TypeError('fetch failed')
    return Response.json(reply)
  }
  // Two attempts for each read, without a pause between them.
  const retry = { retries: 1, baseMs: 0, maxMs: 5_000 }
  return { client: createClient({ url: 'http://host', fetch: fake as typeof fetch, retry, ...options }), requests }
}

/** Records the pauses instead of waiting. */
function notePauses(t: TestContext): number[] {
  const pauses: number[] = []
  const real = setTimeout
  t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
    pauses.push(ms)
    return real(work, 0)
  })
  return pauses
}

const job = (status: string) => ({ id: 'j', status })
const poll = (runStatus: string, lastEventSeq = 0) => ({
  events: [],
  lastEventSeq,
  runStatus,
  isTerminal: ['completed', 'failed', 'cancelled'].includes(runStatus),
})

describe('waiting for a job', () => {
  test('resolves when the job is completed, dead or cancelled, and reports each state', async (t) => {
    notePauses(t)
    for (const end of ['completed', 'dead', 'cancelled']) {
      const { client, requests } = scripted([job('queued'), job('leased'), job(end)])
      const seen: string[] = []
      const ended = await client.jobs.wait('j', { onProgress: ({ status }) => seen.push(status) })
      assert.equal(ended.status, end)
      assert.deepEqual(seen, ['queued', 'leased', end])
      assert.deepEqual(requests, Array(3).fill('/v1/host/colophon/jobs/j'))
    }
  })

  test('doubles the pause between reads, up to one second', async (t) => {
    const pauses = notePauses(t)
    const { client } = scripted([...Array(9).fill(job('queued')), job('completed')])
    await client.jobs.wait('j')
    assert.deepEqual(pauses, [25, 50, 100, 200, 400, 800, 1_000, 1_000, 1_000])
  })

  test('throws the reason of an abort, and sends no more requests', async () => {
    const stop = new AbortController()
    const { client, requests } = scripted([job('queued')])
    const onProgress = () => stop.abort(new Error('enough'))
    await assert.rejects(client.jobs.wait('j', { signal: stop.signal, onProgress }), { message: 'enough' })
    assert.equal(requests.length, 1)
  })

  test('survives a restart of the server after the first response', async () => {
    const { client, requests } = scripted([job('queued'), ...Array(8).fill('cut'), job('completed')])
    assert.equal((await client.jobs.wait('j')).status, 'completed')
    assert.equal(requests.length, 10)
  })

  test('fails without a first response, after a long outage, and at once when retries are off', async () => {
    const never = scripted(['cut'])
    await assert.rejects(never.client.jobs.wait('j'), { code: 'no_answer' })
    assert.equal(never.requests.length, 2)
    const gone = scripted([job('queued'), 'cut'])
    await assert.rejects(gone.client.jobs.wait('j'), { code: 'no_answer' })
    assert.equal(gone.requests.length, 1 + 11 * 2)
    const once = scripted([job('queued'), 'cut'], { retry: { retries: 0 } })
    await assert.rejects(once.client.jobs.wait('j'), { code: 'no_answer' })
    assert.equal(once.requests.length, 2)
  })
})

test('waiting for an ingest job continues after a failed attempt', async (t) => {
  notePauses(t)
  const { client, requests } = scripted([job('queued'), job('failed'), job('processing'), job('dead')])
  assert.equal((await client.memories.wait('j')).status, 'dead')
  assert.deepEqual(requests, Array(4).fill('/v1/memories/jobs/j'))
})

describe('waiting for a run', () => {
  test('polls after the last event, and resolves when the run has ended', async () => {
    const snapshot = { runId: 'r', status: 'completed', variables: {} }
    const { client, requests } = scripted([
      poll('running', 3),
      poll('waiting-approval', 5),
      poll('completed', 7),
      snapshot,
    ])
    const seen: string[] = []
    const run = await client.runs.wait('r', { onProgress: ({ runStatus }) => seen.push(runStatus) })
    assert.deepEqual(run, snapshot)
    assert.deepEqual(seen, ['running', 'waiting-approval', 'completed'])
    assert.deepEqual(requests, [
      ...[-1, 3, 5].map((last) => `/v1/runs/r/events/poll?lastSequence=${last}&timeout=2`),
      '/v1/runs/r',
    ])
  })

  test('with until idle, resolves when the run is paused or waits for an interrupt', async () => {
    for (const status of ['paused', 'waiting-input', 'failed']) {
      const { client } = scripted([poll('pending'), poll(status), { status }])
      assert.equal((await client.runs.wait('r', { until: 'idle' })).status, status)
    }
  })
})

test('all events of a run are read page by page', async () => {
  const page = (...sequences: number[]) => ({
    events: sequences.map((sequence) => ({ sequence })),
    lastEventSeq: sequences.at(-1) ?? 2,
  })
  const { client, requests } = scripted([page(0, 1), page(2), page()])
  const seen: number[] = []
  for await (const { sequence } of client.runs.eachEvent('r')) seen.push(sequence)
  assert.deepEqual(seen, [0, 1, 2])
  assert.deepEqual(
    requests.map((path) => new URL(path, 'http://host').searchParams.get('lastSequence')),
    ['-1', '1', '2'],
  )
})
