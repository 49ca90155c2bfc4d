import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Assertion } from './claim.ts'
import { resolveClaim } from './resolve-conflict.ts'

const assertion = (change: Partial<Assertion>): Assertion => ({
  claimId: 'clm_1',
  ordinal: 0,
  sourceEventId: 'src_1',
  candidate: 0,
  service: 'crm',
  eventId: null,
  actor: null,
  content: 'Lisbon',
  contentKey: 'lisbon',
  importance: 5,
  confidence: 1,
  priority: 50,
  observedAt: 0,
  trust: 'agent',
  entryId: null,
  recordedPosition: 1,
  withdrawnPosition: null,
  seal: '',
  ...change,
})

test('the winner does not depend on the order of arrival when an event id equals the id of another source event', () => {
  const unnamed = assertion({ sourceEventId: 'src_1', contentKey: 'lisbon' })
  const named = assertion({ sourceEventId: 'src_2', eventId: 'src_1', contentKey: 'porto', ordinal: 1 })
  const winners = [
    [unnamed, named],
    [named, unnamed],
  ].map((assertions) => resolveClaim(assertions, null).winner?.contentKey)
  assert.deepEqual(winners, ['lisbon', 'lisbon'])
})

test('a pin of a content that was withdrawn has no effect', () => {
  const pin = { contentKey: 'porto', actor: 'key:k', reason: 'Seen.', at: 0 }
  const withdrawn = assertion({ contentKey: 'porto', ordinal: 1, candidate: 1, withdrawnPosition: 2 })
  assert.equal(resolveClaim([assertion({}), withdrawn], pin).winner?.contentKey, 'lisbon')
})
