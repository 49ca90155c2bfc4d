import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { sendRaw } from '../support/raw-http.ts'
import type { TestServer } from '../support/server.ts'
import { storagesOfBehaviour } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openChanges } from '../support/sse.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const canaryOf = (kind: string) => `canary-${kind}-${randomBytes(9).toString('hex')}`

/** What must never be in a log, by where a client puts it. */
function plant() {
  const kinds = ['content', 'tag', 'ref', 'subject', 'secret', 'path', 'query', 'header', 'key', 'idempotency'] as const
  return Object.fromEntries(kinds.map((kind) => [kind, canaryOf(kind)])) as Record<(typeof kinds)[number], string>
}

async function useEverything(server: TestServer, canary: ReturnType<typeof plant>): Promise<string[]> {
  const { call } = server
  const entries = `${host}/memory/${canary.ref}/entries`
  const draft = { content: canary.content, tags: [canary.tag], subject: canary.subject }
  const put = await call('POST', entries, draft, { 'idempotency-key': canary.idempotency })
  assert.equal(put.status, 201)
  const made = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
  const changes = await openChanges(server.url, made.key, { after: 0 })
  await changes.until('one change', (events) => events.length > 0)
  await changes.close()
  await call('PUT', `${host}/secrets/one`, { value: canary.secret })
  await call('GET', `${entries}?tag=${canary.tag}&${canary.query}=${canary.query}`)
  await call('GET', `${entries}/${put.body.id}/colophon`)
  await call('POST', entries, `{"content": "${canary.content}`)
  await call('POST', `${entries}:batch`, { entries: [{ ...draft, expiresAt: canary.content }] })
  await call('POST', `${host}/memory/${canary.secret}/entries`, draft)
  await call('GET', `/${canary.path}`)
  await call('GET', `/v1/tenant/${canary.path}?${canary.query}`)
  await call('GET', `/%zz${canary.path}`)
  await call('GET', `${host}/memory?cursor=%00${canary.query}`)
  await call('DELETE', `${host}/keys/%00${canary.path}`)
  await server.as(canary.key)('GET', entries, undefined, { 'x-canary': canary.header })
  await server.as(`${made.key}x`)('GET', entries)
  await sendRaw(server.url, `GET /${canary.path} HTTP/1.1\r\nAuthorization: Bearer ${made.key}\r\nBad\u0000: x\r\n\r\n`)
  await sendRaw(server.url, `GET / HTTP/1.1\r\nAuthorization: Bearer ${made.key}\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)
  await call('DELETE', `${entries}/${put.body.id}`)
  return [...Object.values(canary), server.key, server.operatorKey, made.key, made.key.split('.')[2], put.body.id]
}

/** A log can contain bytes as numbers, from which a reader gets the text. */
function decodeNumbers(logs: string): string {
  return logs.replaceAll(/\[(\d{1,3}(?:,\d{1,3})+)\]/g, (_all, list: string) =>
    Buffer.from(list.split(',').map(Number)).toString('latin1'),
  )
}

describe('no log line contains texts, refs, ids, keys or secrets of clients', () => {
  for (const storage of storagesOfBehaviour) {
    for (const level of ['info', 'trace']) {
      test(`${storage}, level ${level}`, async () => {
        await using server = await startServerProcess({ storage, env: { COLOPHON_LOG_LEVEL: level } })
        const canaries = await useEverything(server, plant())
        assert.deepEqual(await server.stop(), { code: 0, signal: null })
        const logs = decodeNumbers(server.logs())
        for (const canary of canaries) {
          const at = logs.indexOf(canary)
          assert.equal(at, -1, `${canary}: …${logs.slice(Math.max(0, at - 300), at + 100)}…`)
        }
        assert.match(logs, /"status":201/, 'requests are logged')
        assert.match(logs, /"reqId":"req_/, 'with their ids')
        assert.doesNotMatch(logs, /already sent/, 'a stream is no error')
      })
    }
  }
})

test('a request has one log line, with its route, status and time; one that the client left is marked', async () => {
  await using server = await startServerProcess({})
  const { key } = (await server.call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
  const changes = await openChanges(server.url, key, { after: 0 })
  await changes.close()
  await eventually('the server has noticed', async () => server.logs().includes(`${host}/changes`))
  await server.stop()
  const lines = server
    .logs()
    .split('\n')
    .filter((line) => line.includes('"reqId"'))
    .map((line) => JSON.parse(line))
  const ids = lines.map(({ reqId }) => reqId)
  assert.equal(new Set(ids).size, ids.length)
  const [made, followed] = lines
  assert.deepEqual(
    [made.req, made.res, made.aborted],
    [{ method: 'POST', route: `${host}/keys` }, { status: 201 }, undefined],
  )
  assert.ok(made.responseTime > 0)
  assert.deepEqual([followed.req.route, followed.aborted], [`${host}/changes`, true])
})
