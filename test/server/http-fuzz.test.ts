import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../../src/core/limits.ts'
import { startServer, type Tenant, type TestServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { assertRefusal } from './authorisation-calls.ts'
import { table } from './authorisation-table.ts'
import { type Furnished, furnish } from './authorisation-things.ts'
import { type OpenApi, type Shot, shotsAt } from './http-fuzz-requests.ts'
import { host } from './runs-calls.ts'

/** Number of calls to each route. COLOPHON_TEST_FUZZ_RUNS sets a larger one. */
const runsPerRoute = Number(process.env.COLOPHON_TEST_FUZZ_RUNS ?? (isThorough ? 15 : 8))
/** A response that takes this long counts as missing: a poll for events can wait for its whole timeout. */
const answerMsMax = (limits.eventPollSecondsMax + 30) * 1_000

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

describe('random requests: the server responds, names the error, and reveals nothing', () => {
  let server: TestServer
  let tenant: Tenant
  let about: Furnished
  let document: OpenApi
  const agent = new Agent({ keepAlive: true })
  /** Stands in what is sent: a refusal does not repeat it, and no log has it. */
  const sent = `SENT${randomBytes(8).toString('hex').toUpperCase()}`
  const secret = `zq${randomBytes(12).toString('hex')}`

  before(async () => {
    server = await startServer({ env: { COLOPHON_BODY_LIMIT_BYTES: '100000' } })
    tenant = await server.tenant()
    about = await furnish((await server.tenant()).id, tenant.call)
    await tenant.call('PUT', `${host}/secrets/planted`, { value: secret })
    document = (await server.as(null)('GET', '/v1/openapi.json')).body
  })
  after(async () => {
    agent.destroy()
    await server[Symbol.asyncDispose]()
  })

  function shoot(shot: Shot, key: string): Promise<Reply> {
    const { hostname, port } = new URL(server.url)
    return new Promise((resolve, reject) => {
      const { method, path, body } = shot
      // Said for every method: a body that nothing announces would be the next request.
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
      const headers = { authorization: `Bearer ${key}`, ...shot.headers, ...length }
      const call = request({ agent, hostname, port, method, path, headers, timeout: answerMsMax }, (answer) => {
        const done = (text: string) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        // A stream that has begun is an answer.
        if (answer.headers['content-type']?.startsWith('text/event-stream')) {
          done('')
          return void call.destroy()
        }
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => done(Buffer.concat(chunks).toString('utf8')))
        answer.on('error', reject)
      })
      call.on('timeout', () => call.destroy(new Error('no answer')))
      call.on('error', reject)
      call.end(body ?? undefined)
    })
  }

  function check(shot: Shot, { status, headers, text }: Reply): void {
    const what = `${shot.method} ${shot.path.slice(0, 200)} ${JSON.stringify(shot.headers)} → ${status} ${text.slice(0, 500)}`
    assert.ok(status < 500, what)
    const everything = `${JSON.stringify(headers)}${text}`
    assert.ok(!everything.includes(secret), `a secret came back: ${what}`)
    assert.ok(!everything.includes(tenant.key), `a key came back: ${what}`)
    if (status < 400 || shot.method === 'HEAD') return
    for (const hidden of [sent, `content ${about.canary}`, `ingested ${about.canary}`])
      assert.ok(!everything.includes(hidden), `the refusal repeats: ${what}`)
    const answer = { status, text, headers: new Headers(), body: parse(text) }
    if (answer.body?.message === 'The request is not valid HTTP.') return
    answer.headers.set('www-authenticate', headers['www-authenticate'] ?? '')
    assertRefusal(`${shot.method} ${shot.path}`, answer, status)
  }

  for (const route of Object.keys(table)) {
    test(route, async () => {
      const key = table[route]?.needs === 'operator' ? server.operatorKey : tenant.key
      const property = fc.asyncProperty(shotsAt(document, route, about, sent), async (shot) => {
        check(shot, await shoot(shot, key))
      })
      await fc.assert(property, { numRuns: runsPerRoute })
    })
  }

  test('afterwards the server is healthy, its audit verifies, and its log has no errors', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      assert.equal((await server.as(null)('GET', path)).status, 200, path)
    assert.equal((await tenant.call('GET', '/v1/audit/verify')).body.chainValid, true)
    const logs = server.logs()
    for (const hidden of [sent, secret, tenant.key, server.operatorKey, about.canary])
      assert.ok(!logs.includes(hidden), 'the log repeats what it must not')
    assert.doesNotMatch(logs, /"level":[56]0/)
    const fine = await tenant.call('POST', `${host}/memory/afterwards/entries`, { content: 'x' })
    assert.equal(fine.status, 201, fine.text)
  })
})

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test says it is, and the test checks it.
function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
