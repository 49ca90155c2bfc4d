import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { signWebhook, webhookHeaders } from './webhook-signature.ts'

test('the signature matches a value made by openssl', () => {
  // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac secret
  assert.equal(
    signWebhook('secret', 1_700_000_000, '{"a":1}'),
    'sha256=49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686',
  )
})

test('the signature covers the bytes that are sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.string({ unit: 'binary' }), (secret, timestamp, body) => {
      const bytes = Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body, 'utf8')])
      const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(bytes).digest('hex')
      assert.equal(signWebhook(secret, timestamp, body), `sha256=${expected}`)
    }),
  )
})

const delivery = {
  webhookId: 'wh_1',
  eventType: 'run.completed',
  timestampSeconds: 1_700_000_000,
  signature: 'sha256=00',
  version: '0.1.0',
}

test('every header is sent under both names with the same value', () => {
  assert.deepEqual(webhookHeaders(delivery), {
    'Content-Type': 'application/json',
    'User-Agent': 'openwop-webhook-dispatcher/0.1.0',
    'X-openwop-Webhook-Id': 'wh_1',
    'OpenWOP-Webhook-Id': 'wh_1',
    'X-openwop-Event-Type': 'run.completed',
    'OpenWOP-Event-Type': 'run.completed',
    'X-openwop-Timestamp': '1700000000',
    'OpenWOP-Timestamp': '1700000000',
    'X-openwop-Signature': 'sha256=00',
    'OpenWOP-Signature': 'sha256=00',
    'X-openwop-Signature-Algorithm': 'v1',
    'OpenWOP-Signature-Algorithm': 'v1',
  })
})

test('a value with a line break or a space fails an assertion', () => {
  for (const eventType of ['a\r\nX-Injected: 1', 'a b', '', 'é']) {
    assert.throws(() => webhookHeaders({ ...delivery, eventType }), { name: 'InvariantBroken' })
  }
})
