import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toWebhookRequest } from './webhook-request.ts'
import { signWebhook } from './webhook-signature.ts'

const event = { sequence: 3, type: 'run.completed', nodeId: null, at: 1_700_000_000_000, payload: { output: 1 } }
const delivery = {
  ...{ tenantId: 'acme', runId: 'run_1', event, webhookId: 'wh_1' },
  ...{ secret: 'a-secret-of-the-receiver', now: 1_700_000_001_999 },
}

test('a delivery has the event document, signed over the exact body', () => {
  const { headers, body } = toWebhookRequest(delivery, '1.2.3')
  assert.deepEqual(JSON.parse(body), {
    runId: 'run_1',
    type: 'run.completed',
    workspaceId: 'acme',
    event: {
      eventId: 'evt_1_3',
      runId: 'run_1',
      sequence: 3,
      type: 'run.completed',
      payload: { output: 1 },
      timestamp: '2023-11-14T22:13:20.000Z',
      schemaVersion: 1,
      engineVersion: '1',
    },
  })
  assert.equal(headers['OpenWOP-Timestamp'], '1700000001')
  assert.equal(headers['OpenWOP-Signature'], signWebhook(delivery.secret, 1_700_000_001, body))
  assert.equal(headers['User-Agent'], 'openwop-webhook-dispatcher/1.2.3')
})

test('a delivery as a CloudEvent has the same document as its data, and is signed over its own bytes', () => {
  const { headers, body } = toWebhookRequest({ ...delivery, format: 'cloudevents' }, '1.2.3')
  const plain = toWebhookRequest(delivery, '1.2.3')
  assert.deepEqual(JSON.parse(body), {
    specversion: '1.0',
    source: 'urn:colophon:tenant:acme',
    id: 'evt_1_3',
    type: 'openwop.run.completed',
    subject: 'run_1',
    time: '2023-11-14T22:13:20.000Z',
    datacontenttype: 'application/json',
    data: JSON.parse(plain.body),
  })
  assert.equal(headers['Content-Type'], 'application/cloudevents+json')
  assert.equal(headers['OpenWOP-Signature'], signWebhook(delivery.secret, 1_700_000_001, body))
  assert.equal(plain.headers['Content-Type'], 'application/json')
})

test('a coalesced delivery has the number of its events, and where to read them', () => {
  const ranges = [{ runId: 'run_1', fromSequence: 0, toSequence: 3 }]
  const coalesced = { count: 4, since: 1_700_000_000_000, until: 1_700_000_001_000, ranges, hasMoreRuns: false }
  const { headers, body } = toWebhookRequest({ ...delivery, coalesced }, '1.2.3')
  const { coalesced: sent, ...event } = JSON.parse(body)
  assert.deepEqual(event, JSON.parse(toWebhookRequest(delivery, '1.2.3').body))
  const [since, until] = ['2023-11-14T22:13:20.000Z', '2023-11-14T22:13:21.000Z']
  assert.deepEqual(sent, { count: 4, since, until, ranges, hasMoreRuns: false })
  assert.equal(headers['OpenWOP-Signature'], signWebhook(delivery.secret, 1_700_000_001, body))
})
