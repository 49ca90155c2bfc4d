import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify from 'fastify'
import { eventually } from '../../test/support/child.ts'
import { openRaw } from '../../test/support/raw-http.ts'
import type { Principal } from '../app/access/authenticate.ts'
import type { App } from './route-context.ts'
import { limitUnreadResponses } from './unread-responses.ts'

/** Responses of 16 MB: more than the socket buffers of the system hold. */
async function serve(unreadMs: number) {
  const app = Fastify()
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request) => {
    request.principal = { tenantId: String(request.headers.tenant), keyId: 'key_1' } as Principal
  })
  limitUnreadResponses(app as unknown as App, 1_000_000, unreadMs)
  let answers = 0
  app.get('/', async () => {
    answers += 1
    return 'x'.repeat(16_000_000)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ask = async (tenant: string) => {
    const answer = await fetch(url, { headers: { tenant } })
    return answer.ok
      ? (await answer.text()).length
      : ((await answer.json()) as { details?: object; code?: string }).code
  }
  const open = async () => {
    const reader = await openRaw(url)
    const before = answers
    reader.socket.pause()
    reader.send('GET / HTTP/1.1\r\nHost: test\r\nTenant: acme\r\n\r\n')
    await eventually('the answer is sent', async () => answers > before)
    return reader
  }
  return { app, ask, open }
}

test('a tenant with too many unread responses gets no more until they are read, and other tenants do', async () => {
  const { app, ask, open } = await serve(60_000)
  assert.equal(await ask('acme'), 16_000_000)
  const reader = await open()
  assert.equal(await ask('acme'), 'rate_limited')
  assert.equal(await ask('bolt'), 16_000_000)
  reader.socket.resume()
  await reader.until('all of it', (text) => text.length > 16_000_000)
  assert.equal(await ask('acme'), 16_000_000)
  reader.destroy()
  await app.close()
})

test('a client that reads nothing is disconnected', async () => {
  const { app, ask, open } = await serve(1_000)
  const reader = await open()
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  await eventually('it is closed', async () => (await connections()) === 0)
  reader.destroy()
  assert.equal(await ask('acme'), 16_000_000)
  await app.close()
})

test('a call within the process has no unread responses', async () => {
  const { app } = await serve(1)
  const ask = () => app.inject({ url: '/', headers: { tenant: 'acme' } })
  const { payload } = await ask()
  await delay(20)
  assert.deepEqual([payload.length, (await ask()).statusCode], [16_000_000, 200])
  await app.close()
})
