import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { publishedSchemas } from '../support/published-v2.ts'
import { type Call, startServer, type TestServer } from '../support/server.ts'
import { chain, ended, noop, register, startRun } from './runs-calls.ts'
import { type Receiver, startReceiver } from './webhooks-receiver.ts'

describe('webhooks in version 2', () => {
  let server: TestServer
  let receiver: Receiver
  let call: Call
  let tenantId: string
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({ env: { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' } })
    const tenant = await server.tenant()
    call = tenant.call
    tenantId = tenant.id
    await register(call, chain('quick', [noop()]))
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  test('each subscriber gets the form of the version that it was registered with', async () => {
    const types = ['run.started', 'node.started', 'node.completed', 'run.completed']
    const first = await call('POST', '/v1/webhooks', { url: `${receiver.url}/one`, events: types })
    const made = await call('POST', '/webhooks', { url: `${receiver.url}/two`, events: types })
    assert.deepEqual(Object.keys(made.body).sort(), ['secret', 'webhookId'])
    const runId = await startRun(call, 'quick')
    await ended(call, runId)
    const all = (deliveries: readonly unknown[]) => deliveries.length === types.length
    const [old] = await receiver.until('/one', 'every event', all)
    const deliveries = await receiver.until('/two', 'every event', all)
    assert.deepEqual(
      [old?.body.runId, old?.headers['openwop-webhook-id'], Object.keys(old?.body ?? {}).includes('type')],
      [runId, first.body.webhookId, true],
    )
    assert.deepEqual(deliveries.map(({ body }) => body.event.type).sort(), types.toSorted())
    const published = publishedSchemas()
    for (const { body, raw, headers } of deliveries) {
      assert.deepEqual([Object.keys(body), body.runId], [['runId', 'event'], `${tenantId}/${runId}`])
      assert.equal(body.event.runId, body.runId)
      assert.equal(headers['openwop-event-type'], body.event.type)
      assert.equal(headers['openwop-webhook-id'], made.body.webhookId)
      const signed = `${headers['openwop-timestamp']}.${raw}`
      const mac = createHmac('sha256', made.body.secret).update(signed).digest('hex')
      assert.equal(headers['openwop-signature'], `sha256=${mac}`)
      if (published !== null) assert.equal(published.problemOf('webhook-delivery.schema.json', body), null)
    }
    assert.ok((await call('GET', '/v1/webhooks')).body.webhooks.length >= 2, 'version 1 lists both')
    const replay = await call('POST', `/runs/${tenantId}~2F${runId}:fork`, { mode: 'replay' })
    await ended(call, replay.body.runId.split('/')[1])
    assert.equal(receiver.at('/two').length, types.length, 'a replay delivers nothing')
  })

  test('a rotated secret signs after the overlap; until then the one before does', async () => {
    const made = await call('POST', '/webhooks', { url: `${receiver.url}/rotated`, events: ['run.completed'] })
    const path = `/webhooks/${made.body.webhookId.replace('/', '~2F')}/rotate-secret`
    const key = { 'idempotency-key': 'rotation-of-the-first-secret' }
    const rotated = await call('POST', path, undefined, key)
    assert.deepEqual([rotated.status, rotated.body.webhookId], [200, made.body.webhookId])
    assert.notEqual(rotated.body.secret, made.body.secret)
    const again = await call('POST', path, undefined, key)
    assert.deepEqual(again.body, { webhookId: made.body.webhookId }, 'the secret is shown once')
    const own = await call('POST', path, { secret: 'a-secret-of-my-own' })
    assert.deepEqual(Object.keys(own.body), ['webhookId'], 'the secret of the client is not sent back')
    assertError(await call('POST', path, { secret: 'short' }), 400, 'validation_error')
    assertError(await call('POST', '/webhooks/wh_gone0000000000/rotate-secret', {}), 404, 'not_found')
    const { secretRotation } = (await call('GET', '/.well-known/openwop', undefined, { 'openwop-version': '2' })).body
      .webhooks
    assert.deepEqual(secretRotation, { overlapSeconds: 86_400 })
    await ended(call, await startRun(call, 'quick'))
    const [delivery] = await receiver.until('/rotated', 'one event', ({ length }) => length === 1)
    const signed = `${delivery?.headers['openwop-timestamp']}.${delivery?.raw}`
    const mac = createHmac('sha256', rotated.body.secret).update(signed).digest('hex')
    assert.equal(delivery?.headers['openwop-signature'], `sha256=${mac}`, 'the secret before the last rotation')
  })

  test('events have names of version 2; other members and other tenants are refused', async () => {
    const url = `${receiver.url}/three`
    const refuse = async (draft: object, words: RegExp) => {
      const answer = await call('POST', '/webhooks', { url, events: ['run.completed'], ...draft })
      assertError(answer, 400, 'validation_error')
      assert.match(answer.body.message, words)
    }
    await refuse({ events: ['*'] }, /no `\*`/)
    await refuse({ events: ['agent.memory.consolidated'] }, /event type of version 2/)
    await refuse({ tenantId: 'x' }, /tenantId is not a member/)
    await refuse({ format: 'cloudevents' }, /version 1/)
    const own = await call('POST', '/webhooks', { url, events: ['run.dead-lettered'], secret: 'a-secret-of-my-own' })
    assert.deepEqual(Object.keys(own.body), ['webhookId'], 'the secret of the client is not sent back')
    const path = `/webhooks/${own.body.webhookId.replace('/', '~2F')}`
    assert.deepEqual((await call('GET', `${path}/dead-letters`)).body, { deliveries: [] })
    assertError(await call('GET', `${path}/dead-letters?cursor=wh_x.job_y`), 400, 'validation_error')
    assert.equal((await call('DELETE', path)).status, 204)
    for (const method of ['GET', 'DELETE'])
      assertError(await call(method, method === 'GET' ? `${path}/dead-letters` : path), 404, 'not_found')
    assertError(
      await call('DELETE', '/webhooks/other~2Fwh_00000000-0000-7000-8000-000000000000'),
      403,
      'id_tenant_mismatch',
    )
  })
})
