import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Assertion } from './claim.ts'
import { byRank, resolveClaim } from './resolve-conflict.ts'

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

/** Any assertions of three contents by two services, in any order. Their candidates differ, as in a source event. */
const assertions = fc
  .array(
    fc.record({
      contentKey: fc.constantFrom('lisbon', 'porto', 'braga'),
      service: fc.constantFrom('crm', 'shop'),
      priority: fc.nat(2),
      observedAt: fc.nat(2),
      confidence: fc.constantFrom(0.5, 0.7, 1),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((stated) => stated.map((change, candidate) => assertion({ ...change, candidate, ordinal: candidate })))

// Model rule: authority.order-of-arrival
test('whatever the order of arrival, the winner is the same, and no other content outranks it', () => {
  const any = assertions.chain((set) => fc.tuple(fc.constant(set), fc.shuffledSubarray(set, { minLength: set.length })))
  fc.assert(
    fc.property(any, ([set, shuffled]) => {
      const { winner, contents } = resolveClaim(set, null)
      assert.equal(resolveClaim(shuffled, null).winner?.contentKey, winner?.contentKey)
      for (const content of contents)
        if (winner && content !== winner && content.isKept) assert.ok(byRank(winner.best, content.best) < 0)
    }),
  )
})

// Model rule: authority.loser-returns
test('when the winner is withdrawn, the best of the others is current', () => {
  fc.assert(
    fc.property(assertions, (set) => {
      const { winner, contents } = resolveClaim(set, null)
      const withdrawn = set.map((item) =>
        item.contentKey === winner?.contentKey ? { ...item, withdrawnPosition: 2 } : item,
      )
      const next = contents.find(({ isKept, contentKey }) => isKept && contentKey !== winner?.contentKey)
      assert.equal(resolveClaim(withdrawn, null).winner?.contentKey, next?.contentKey)
    }),
  )
})

// Model rule: authority.pin-wins
test('a pinned content that is kept wins against any other', () => {
  fc.assert(
    fc.property(assertions, (set) => {
      for (const { contentKey, isKept } of resolveClaim(set, null).contents) {
        const { winner } = resolveClaim(set, { contentKey, actor: 'key:k', reason: 'Seen.', at: 0 })
        if (isKept) assert.equal(winner?.contentKey, contentKey)
      }
    }),
  )
})

// Model rule: authority.two-writers
test('a weak content is kept if and only if two different writers state it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('crm', 'shop'), { minLength: 1, maxLength: 5 }), (services) => {
      const weak = services.map((service, candidate) => assertion({ service, candidate, confidence: 0.5 }))
      assert.equal(resolveClaim(weak, null).winner !== null, new Set(services).size === 2)
    }),
  )
})
