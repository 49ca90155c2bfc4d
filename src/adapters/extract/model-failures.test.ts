import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { completes, type ModelReply, refuses, says, startModelStandIn } from '../../../test/support/model-stand-in.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { createModelExtractor } from './model.ts'

const never = new AbortController().signal
const key = 'sk-stand-in-key'
const talk: readonly SourceMessage[] = [{ role: 'user', content: 'My cat Miso sleeps on the keyboard.' }]

type Failure = Error & { readonly code: string; readonly retryable: boolean; readonly hint: string }

async function failureOf(url: string, timeoutMs?: number): Promise<Failure> {
  const extractor = createModelExtractor({ url, model: 'tiny-1', apiKey: key, ...(timeoutMs ? { timeoutMs } : {}) })
  const failure = await extractor.extract(talk, never).then(
    () => assert.fail('it did not fail'),
    (error: Failure) => error,
  )
  // A job stores code and message of a failure: they must contain neither messages nor the key.
  assert.equal(failure.name, 'ColophonError')
  assert.equal(failure.cause, undefined)
  assert.doesNotMatch(`${JSON.stringify(failure)}${failure.message}${failure.stack}`, /Miso|sk-stand-in|127\.0\.0\.1/)
  return failure
}

/** The error for a server's reply, and the number of calls. */
async function outcomeOf(reply: ModelReply, timeoutMs?: number) {
  await using standIn = await startModelStandIn(reply)
  const { code, retryable, message } = await failureOf(standIn.url, timeoutMs)
  return { code, retryable, message, calls: standIn.calls.length }
}

test('408, 429 and 5xx are retryable model_unavailable errors', async () => {
  for (const status of [408, 429, 500, 502, 503, 529]) {
    const message = `The model's server is unavailable: it answered ${status}.`
    const quoting = refuses(status, `Miso ${key}`, { 'Retry-After': '1' })
    assert.deepEqual(await outcomeOf(quoting), { code: 'model_unavailable', retryable: true, message, calls: 1 })
  }
})

test('other statuses are extraction_failed errors that name the cause', async () => {
  const refusals = [
    [401, 'refused the API key: it answered 401', 1],
    [403, 'refused the API key: it answered 403', 1],
    [404, 'has no such endpoint or model: it answered 404', 1],
    [413, 'refused the request: it answered 413', 1],
    // Tried with a schema, as JSON and without a format: the server may not support the first two.
    [400, 'refused the request: it answered 400', 3],
    [422, 'refused the request: it answered 422', 3],
  ] as const
  for (const [status, problem, calls] of refusals) {
    const message = `The model's server ${problem}.`
    const quoting = refuses(status, `Miso ${key}`)
    assert.deepEqual(await outcomeOf(quoting), { code: 'extraction_failed', retryable: false, message, calls })
  }
})

test('a redirect is not followed, so messages and key are not sent to another server', async () => {
  await using elsewhere = await startModelStandIn(says({ memories: [] }))
  for (const status of [301, 302, 307, 308]) {
    const { code, message, calls } = await outcomeOf(refuses(status, '', { Location: elsewhere.url }))
    assert.equal(code, 'extraction_failed')
    assert.match(message, /answered with a redirect/)
    assert.equal(calls, 1)
  }
  assert.equal(elsewhere.calls.length, 0)
})

test('a refused connection is a retryable model_unavailable error', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const { code, retryable, message } = await failureOf(`http://127.0.0.1:${port}/v1`)
  assert.deepEqual([code, retryable], ['model_unavailable', true])
  assert.equal(message, "The connection to the model's server failed (ECONNREFUSED).")
})

test('a connection that breaks during the response is a model_unavailable error', async () => {
  const { code, calls } = await outcomeOf((response) => {
    response.writeHead(200).write('{"choices": [')
    setTimeout(() => response.destroy(), 20)
  })
  assert.deepEqual([code, calls], ['model_unavailable', 1])
})

test('a late or endless response ends with a timeout', async () => {
  const replies: ModelReply[] = [
    () => {},
    (response) => {
      response.writeHead(200).write('{"choices": [')
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    },
  ]
  for (const reply of replies) {
    const { code, retryable, message } = await outcomeOf(reply, 200)
    assert.deepEqual([code, retryable], ['model_unavailable', true])
    assert.equal(message, 'The model did not answer within 200 ms.')
  }
})

test('a response above the size limit is aborted and not requested again', async () => {
  let sent = 0
  const chunk = 'x'.repeat(65_536)
  const { code, message, calls } = await outcomeOf((response) => {
    response.writeHead(200)
    const send = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', send)
    send()
  })
  assert.deepEqual([code, calls], ['extraction_failed', 1])
  assert.equal(message, "The model's response has more than 1048576 bytes.")
  assert.ok(sent < 64 * 1_048_576)
})

test('a response of exactly the size limit is accepted, one byte more is not', async () => {
  const completion = JSON.stringify({ choices: [{ message: { content: '{"memories":[]}' } }] })
  const padded = (bytes: number): ModelReply => {
    return (response) => void response.end(completion.padEnd(bytes))
  }
  await using standIn = await startModelStandIn(padded(1_048_576))
  const extractor = createModelExtractor({ url: standIn.url, model: 'tiny-1', apiKey: null })
  assert.deepEqual((await extractor.extract(talk, never)).candidates, [])
  assert.equal((await outcomeOf(padded(1_048_577))).code, 'extraction_failed')
})

test('a server without the OpenAI chat format is an extraction_failed error', async () => {
  const replies: ModelReply[] = [
    (response) => void response.end('<html>Miso</html>'),
    (response) => void response.writeHead(204).end(),
    ...[null, [], {}, 'text', { choices: [] }, { choices: [null] }, { choices: 'x' }, { error: { code: 429 } }].map(
      completes,
    ),
  ]
  for (const reply of replies) {
    const { code, message, calls } = await outcomeOf(reply)
    assert.deepEqual([code, calls], ['extraction_failed', 1])
    assert.equal(message, "The server at the model's URL did not answer with the OpenAI chat format.")
  }
})

test('an abort rejects with the caller’s reason, before and during a call', async () => {
  const arrived = Promise.withResolvers<void>()
  await using standIn = await startModelStandIn(() => arrived.resolve())
  const extractor = createModelExtractor({ url: standIn.url, model: 'tiny-1', apiKey: null })
  const reason = new Error('the lease is lost')
  await assert.rejects(extractor.extract(talk, AbortSignal.abort(reason)), reason)
  assert.equal(standIn.calls.length, 0)
  const stop = new AbortController()
  const extraction = extractor.extract(talk, stop.signal)
  await arrived.promise
  stop.abort(reason)
  await assert.rejects(extraction, reason)
})
