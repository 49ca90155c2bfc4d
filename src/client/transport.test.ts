import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ClientOptions, createClient, isClientError } from './index.ts'

type Sent = { url: string; method: string; headers: Record<string, string>; body: unknown }
type Reply = Response | 'cut' | 'hang'

/** A server that sends these responses in order, and records the requests. */
function scripted(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = []
  const fake = async (url: string, init: RequestInit) => {
    sent.push({ url, method: init.method ?? 'GET', headers: init.headers as Record<string, string>, body: init.body })
    init.signal?.throwIfAborted()
    const reply = replies.shift() ?? json(200, {})
    if (reply === 'cut') throw new TypeError('fetch failed')
    if (reply !== 'hang') return reply
    return new Promise<Response>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  }
  const retry = { baseMs: 0, maxMs: 5_000 }
  const client = createClient({ url: 'http://host/', key: 'k', fetch: fake as typeof fetch, retry, ...options })
  return { client, sent }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(status === 204 ? null : JSON.stringify(body), { status, headers })
}

const refusal = (status: number, error: string, headers = {}) =>
  json(status, { error, message: 'No.', details: { hint: 'Do this.', field: 'x' } }, headers)

describe('a call', () => {
  test('fills in path and query, escaped, and sends key and body', async () => {
    const { client, sent } = scripted([])
    await client.memory.list('a/b c', { limit: 2, tag: 'x&y', cursor: undefined, asOf: 7 })
    await client.memories.list({ external_user_id: 'ada', categories: ['fact', 'goal'] })
    await client.memory.put('r', { content: 'é' })
    assert.equal(sent[0]?.url, 'http://host/v1/host/colophon/memory/a%2Fb%20c/entries?limit=2&tag=x%26y&asOf=7')
    assert.equal(sent[1]?.url, 'http://host/v1/memories?external_user_id=ada&categories=fact%2Cgoal')
    assert.equal(sent[2]?.headers.authorization, 'Bearer k')
    assert.equal(sent[2]?.body, '{"content":"é"}')
  })

  test('calls the key function before each attempt', async () => {
    let count = 0
    const { client, sent } = scripted(['cut'], { key: async () => `k${++count}` })
    await client.settings.get()
    assert.deepEqual(
      sent.map(({ headers }) => headers.authorization),
      ['Bearer k1', 'Bearer k2'],
    )
  })

  test('that writes is retried with one idempotency key, and another call has another key', async () => {
    const { client, sent } = scripted(['cut', refusal(503, 'storage_unavailable'), refusal(409, 'redaction_stale')])
    await client.memory.put('r', { content: 'a' })
    await client.memory.delete('r', 'id')
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 5)
    assert.equal(new Set(keys.slice(0, 4)).size, 1)
    assert.match(keys[0] ?? '', /^ck-[0-9a-f]{32}$/)
    assert.notEqual(keys[4], keys[0])
  })

  test('uses the given idempotency key, and sends none for a write without retries', async () => {
    const { client, sent } = scripted([])
    await client.runs.create({ workflowId: 'w' }, { idempotencyKey: 'mine', retries: 0 })
    await client.runs.create({ workflowId: 'w' }, { retries: 0 })
    assert.deepEqual(
      sent.map(({ headers }) => headers['idempotency-key']),
      ['mine', undefined],
    )
  })

  test('that reads has no idempotency key and is retried, also when it is a POST', async () => {
    const { client, sent } = scripted(['cut', json(200, {}), 'cut'])
    await client.memories.get('m')
    await client.memories.retrieve({ external_user_id: 'ada', query: 'tea' })
    assert.equal(sent.length, 4)
    assert.ok(sent.every(({ headers }) => !('idempotency-key' in headers)))
  })

  test('without an idempotency key is sent once, unless the rate limit refused it', async () => {
    const { client, sent } = scripted(['cut', refusal(429, 'rate_limited')])
    await assert.rejects(client.jobs.retry('j'), { code: 'no_answer' })
    await client.jobs.retry('j')
    assert.equal(sent.length, 3)
  })

  test('is not retried after a permanent error', async () => {
    const codes = [
      [400, 'validation_error'],
      [401, 'unauthenticated'],
      [404, 'not_found'],
      [409, 'version_conflict'],
      [422, 'secret_leakage'],
    ] as const
    for (const [status, code] of codes) {
      const { client, sent } = scripted([refusal(status, code)])
      await assert.rejects(client.memory.put('r', { content: 'a' }), { code, status })
      assert.equal(sent.length, 1, code)
    }
  })

  test('fails after the last retry', async () => {
    const { client, sent } = scripted(Array.from({ length: 9 }, () => 'cut' as const))
    await assert.rejects(client.memory.refs(), { code: 'no_answer', status: undefined })
    assert.equal(sent.length, 4)
    await assert.rejects(client.memory.refs({}, { retries: 0 }))
    assert.equal(sent.length, 5)
  })

  test('waits for Retry-After, and fails when that is too long', async () => {
    const limited = (seconds: string) => refusal(429, 'rate_limited', { 'retry-after': seconds })
    const start = performance.now()
    const { client, sent } = scripted([limited('1'), json(200, {}), limited('3600')])
    await client.memory.refs()
    assert.ok(performance.now() - start >= 990, `${performance.now() - start} ms`)
    await assert.rejects(client.memory.refs(), { code: 'rate_limited', retryAfterMs: 3_600_000 })
    assert.equal(sent.length, 3)
  })

  test('times out, and is retried', async () => {
    const { client, sent } = scripted(['hang', 'hang'], { timeoutMs: 20 })
    await assert.rejects(client.memory.refs({}, { retries: 1 }), { code: 'timed_out' })
    assert.equal(sent.length, 2)
  })

  test('throws the reason of an abort, also while it waits for a retry', async () => {
    const stop = new AbortController()
    const { client } = scripted(['hang'])
    const call = client.memory.refs({}, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await assert.rejects(call, { message: 'enough' })
    const later = new AbortController()
    const waiting = scripted([refusal(503, 'overloaded', { 'retry-after': '5' })])
    const second = waiting.client.memory.refs({}, { signal: later.signal })
    setTimeout(() => later.abort(new Error('later')), 10)
    await assert.rejects(second, { message: 'later' })
    assert.equal(waiting.sent.length, 1)
  })

  test('returns undefined for an empty response', async () => {
    const { client } = scripted([json(204, null)])
    assert.equal(await client.secrets.put('s', { value: 'v' }), undefined)
  })
})

describe('an error', () => {
  test('has code, status, request id, hint and details', async () => {
    const { client } = scripted([refusal(403, 'forbidden', { 'x-request-id': 'req_1' })])
    const error = await client.keys.list().catch((caught: unknown) => caught)
    assert.ok(isClientError(error, 'forbidden') && !isClientError(error, 'not_found'))
    const { code, status, requestId, hint, details, message } = error
    assert.deepEqual(
      { code, status, requestId, hint, details, message },
      {
        code: 'forbidden',
        status: 403,
        requestId: 'req_1',
        hint: 'Do this.',
        details: { field: 'x' },
        message: 'No.',
      },
    )
  })

  test('does not quote a response that is not from Colophon', async () => {
    const { client } = scripted([new Response('<p>top secret</p>', { status: 404 })])
    const error = await client.keys.list().catch((caught: unknown) => caught)
    assert.ok(isClientError(error, 'unexpected_answer'))
    assert.equal(error.status, 404)
    assert.doesNotMatch(JSON.stringify(error) + error.message, /top secret/)
  })

  test('is thrown for a 200 response that is not JSON', async () => {
    const { client } = scripted([new Response('<p>sign in</p>', { status: 200 })])
    await assert.rejects(client.keys.list(), { code: 'unexpected_answer', status: 200 })
  })
})

describe('a list', () => {
  test('fetches a page when its first item is needed', async () => {
    const page = (ids: string[], cursor?: string) => json(200, { entries: ids.map((id) => ({ id })), cursor })
    const { client, sent } = scripted([page(['a', 'b'], 'c1'), page(['c'], 'c2'), page(['d'])])
    const seen: string[] = []
    for await (const { id } of client.memory.each('r', { limit: 2 })) {
      seen.push(id)
      if (id === 'c') break
    }
    assert.deepEqual(seen, ['a', 'b', 'c'])
    assert.deepEqual(
      sent.map(({ url }) => new URL(url).search),
      ['?limit=2', '?limit=2&cursor=c1'],
    )
  })
})
