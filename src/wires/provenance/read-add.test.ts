import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPayload } from '../../core/provenance/source-messages.ts'
import { readAdd } from './read-add.ts'
import { AddDraft } from './schemas/add.ts'

const read = (body: object) => readAdd(AddDraft.parse({ external_user_id: 'ada', ...body }))

test('the payload hash covers the messages as sent, including unknown members', () => {
  const messages = [{ role: 'user', content: 'Hello.', sentAt: { day: 1 }, name: 'Ada', category: 5 }]
  const request = read({ messages })
  assert.equal(request.payloadHash, hashPayload(messages))
  assert.deepEqual(request.messages, [{ role: 'user', content: 'Hello.' }])
})

test('a verbatim message keeps its category, claim key and confidence, and begins with its speaker', () => {
  const known = { category: 'preference', claim_key: 'ui.theme', confidence: 0.5 }
  const messages = [{ role: 'user', content: 'Dark mode.', name: 'Ada', ...known, unknown: 1 }]
  assert.deepEqual(read({ messages, infer: false }).messages, [
    { role: 'user', content: 'Ada: Dark mode.', category: 'preference', claimKey: 'ui.theme', confidence: 0.5 },
  ])
})

test('omitted and null members get their defaults', () => {
  const messages = [{ role: 'user', content: 'Hello.' }]
  const { payloadHash: _hash, ...request } = read({ messages, agent_id: null, source: null })
  const none = { agentId: null, metadata: {}, source: null, readers: null }
  assert.deepEqual(request, { subject: 'ada', infer: true, messages, ...none })
  const source = { service: 'crm', event_id: 'e1', observed_at: '2026-01-01T01:00:00+01:00' }
  assert.deepEqual(read({ messages, source }).source, {
    service: 'crm',
    eventId: 'e1',
    observedAt: Date.UTC(2026, 0, 1),
    scope: null,
    evidence: null,
  })
})
