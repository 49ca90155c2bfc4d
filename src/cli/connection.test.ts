import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { ClientError } from '../client/index.ts'
import { openConnection, toCliError, withClient } from './connection.ts'
import { exitCodes } from './exit-codes.ts'

const key = 'k'.repeat(24)

/** A server that always sends the same response, and records the requests. */
async function startServer(t: TestContext, status: number, body: object) {
  const requests: { readonly call: string; readonly headers: NodeJS.Dict<string | string[]> }[] = []
  const server = createServer((request, response) => {
    requests.push({ call: `${request.method} ${request.url}`, headers: request.headers })
    response.writeHead(status, { 'retry-after': '0' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { requests, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}

describe('a command', () => {
  const busy = { error: 'storage_unavailable', message: 'No.', details: { hint: 'Wait.' } }

  test('sends each request once, without an idempotency key, also after Retry-After', async (t) => {
    const { requests, url } = await startServer(t, 503, busy)
    const write = withClient({ url, key }, (client) => client.memory.put('notes', { content: 'x' }))
    await assert.rejects(write, { message: 'storage_unavailable: No.\n  Wait.', exitCode: exitCodes.unavailable })
    assert.equal(requests.length, 1)
    assert.equal(requests[0]?.headers['idempotency-key'], undefined)
  })

  test('retries a request if the command sets retries', async (t) => {
    const { requests, url } = await startServer(t, 503, busy)
    await assert.rejects(withClient({ url, key, retries: 1 }, (client) => client.import('{}')))
    assert.equal(requests.length, 2)
  })

  test('does not time out while the server processes a long request', async (t) => {
    const { url } = await startServer(t, 200, {})
    const timeout = t.mock.method(AbortSignal, 'timeout')
    await withClient({ url, key }, (client) => client.audit.verify())
    const [ms] = timeout.mock.calls[0]?.arguments ?? []
    assert.ok(Number(ms) >= 3_600_000, `${ms} ms`)
  })

  test('uses the path of the URL, without query and fragment', async (t) => {
    const { requests, url } = await startServer(t, 200, {})
    for (const suffix of ['', '/', '/memory/', '/memory?x=1#top'])
      await withClient({ url: url + suffix, key }, (client) => client.memory.refs())
    const path = '/v1/host/colophon/memory'
    assert.deepEqual(
      requests.map(({ call }) => call),
      [path, path, `/memory${path}`, `/memory${path}`].map((called) => `GET ${called}`),
    )
  })

  test('refuses a URL that is not http or https', async () => {
    for (const url of ['localhost:4242', 'nowhere', 'ftp://host'])
      await assert.rejects(openConnection({ url, key }), { exitCode: exitCodes.usage, message: /--url/ })
  })
})

describe('a call that failed', () => {
  const reported = (error: ClientError) => {
    const { message, exitCode } = toCliError(error, 'http://127.0.0.1:1/path')
    return [message, exitCode]
  }

  test('prints code, fields and hint, and its status determines the exit code', () => {
    const details = { fields: ['limit: too small', 'tag: unknown'], field: 'x' }
    assert.deepEqual(
      reported(new ClientError('validation_error', 'No.', { status: 400, hint: 'Correct it.', details })),
      ['validation_error: No.\n  limit: too small\n  tag: unknown\n  Correct it.', exitCodes.refused],
    )
    assert.deepEqual(reported(new ClientError('not_found', 'No.', { status: 404 })), [
      'not_found: No.',
      exitCodes.notFound,
    ])
    const codes = [401, 403, 409, 429, 500, 503].map((status) => reported(new ClientError('x', 'No.', { status }))[1])
    assert.deepEqual(codes, [5, 5, 4, 6, 1, 6])
  })

  test('reports no response, and a response that is not from Colophon', () => {
    for (const code of ['no_answer', 'timed_out'])
      assert.deepEqual(reported(new ClientError(code, 'No.')), [
        'No server can be reached at http://127.0.0.1:1. Check --url, and that it runs.',
        6,
      ])
    assert.deepEqual(reported(new ClientError('unexpected_answer', 'No.', { status: 404 })), [
      'The server at http://127.0.0.1:1 is not a Colophon server. Check --url.',
      6,
    ])
  })
})
