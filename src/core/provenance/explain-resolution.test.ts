import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Assertion, Pin } from './claim.ts'
import { entryHeadline } from './entry-headline.ts'
import { compareContents, headlineOf, headlineWithoutRival, reasonOf } from './explain-resolution.ts'
import { type RankedContent, resolveClaim } from './resolve-conflict.ts'
import { assertionsAt } from './state-at.ts'

const base: Assertion = {
  claimId: 'claim_1',
  ordinal: 0,
  sourceEventId: 'src_1',
  candidate: 0,
  service: 'account-page',
  eventId: 'evt-1',
  actor: 'key:key_1',
  content: 'Light theme.',
  contentKey: 'light theme',
  importance: 5,
  confidence: 0.9,
  priority: 80,
  observedAt: Date.parse('2026-11-10T14:02:00Z'),
  trust: 'agent',
  entryId: 'mem_1',
  recordedPosition: 1,
  withdrawnPosition: null,
  seal: '',
}
const other = { ...base, ordinal: 1, sourceEventId: 'src_2', service: 'support-chat', eventId: 'evt-2' }
const dark = { ...other, content: 'Dark theme.', contentKey: 'dark theme', entryId: 'mem_2', recordedPosition: 2 }

function explain(assertions: readonly Assertion[], pin: Pin | null = null) {
  const { contents, winner, isContested } = resolveClaim(assertions, pin, { floorWin: 'agent', lines: new Map() })
  const loser = contents.find((content) => content !== winner)
  assert.ok(winner && loser)
  return { comparison: compareContents(winner, loser, pin, 'agent'), isContested }
}

function sentence(assertions: readonly Assertion[], pin: Pin | null = null): string {
  const { comparison, isContested } = explain(assertions, pin)
  return headlineOf(comparison, true, isContested)
}

describe('the sentence that says why a content is current', () => {
  test('each rule that can decide has its own', () => {
    assert.equal(
      sentence([base, { ...dark, priority: 40 }]),
      'Current because account-page (80) outranked support-chat (40).',
    )
    assert.equal(
      sentence([base, { ...dark, observedAt: base.observedAt - 86_400_000 }]),
      'Current, but contested, because account-page observed it later (2026-11-10 14:02 UTC) than support-chat (2026-11-09 14:02 UTC); both have priority 80.',
    )
    assert.equal(
      sentence([base, { ...dark, confidence: 0.7 }]),
      'Current, but contested, because account-page is more confident (0.9) than support-chat (0.7); priority and time are equal.',
    )
    assert.equal(
      sentence([base, dark]),
      'Current, but contested, because account-page comes before support-chat in order; priority, time and confidence are equal.',
    )
    assert.equal(
      sentence([
        { ...base, priority: 10 },
        { ...dark, priority: 90, trust: 'untrusted' },
      ]),
      'Current because account-page has the class agent, and support-chat (untrusted) is below the floor agent.',
    )
    const pin = { contentKey: 'dark theme', actor: 'key:key_9', reason: 'The customer called.', at: 1 }
    assert.equal(
      sentence([base, { ...dark, priority: 40 }], pin),
      'Current because key:key_9 pinned it: The customer called.',
    )
  })

  test('the loser has the sentence of its rival, and a source does not outrank itself by name', () => {
    const { comparison } = explain([base, { ...dark, priority: 40 }])
    assert.equal(
      headlineOf(comparison, false, false),
      'Superseded because account-page (80) outranked support-chat (40).',
    )
    assert.equal(
      sentence([base, { ...dark, service: 'account-page', priority: 40 }]),
      'Current because account-page (80) outranked another event of account-page (40).',
    )
  })

  test('without a rival it names the source, or how many writers agree', () => {
    const [content] = resolveClaim([base], null).contents as [RankedContent]
    assert.equal(
      headlineWithoutRival(content, 1),
      'Current because account-page stated it, and no other content is known.',
    )
    assert.equal(headlineWithoutRival(content, 3), 'Current because 3 writers state it, and no other content is known.')
  })

  test('an entry without a claim says what wrote it, or what became of it', () => {
    const facts = {
      endedReason: null,
      origin: { kind: 'run', runId: 'run_7', sequence: 3, nodeId: 'answer' },
      trust: 'untrusted',
      belowFloor: null,
      actor: null,
      compactedInto: null,
      sourceCount: null,
    } as const
    assert.equal(entryHeadline(facts, null), 'Current because run run_7 wrote it in node answer.')
    assert.equal(
      entryHeadline({ ...facts, belowFloor: 'agent' }, 'Current because x.'),
      'In quarantine because its class untrusted is below the floor agent.',
    )
    assert.equal(
      entryHeadline({ ...facts, endedReason: 'compacted', compactedInto: 'mem_9' }, null),
      'Replaced by the compaction mem_9.',
    )
    assert.equal(
      entryHeadline({ ...facts, endedReason: 'contained' }, 'Current because x.'),
      'Contained: its source is in quarantine, so it does not count.',
    )
  })
})

test('exactly one rule decides, those before it are equal, and it agrees with the ranking', () => {
  const side = fc.record({
    priority: fc.integer({ min: 0, max: 2 }),
    observedAt: fc.integer({ min: 0, max: 2 }),
    confidence: fc.constantFrom(0.7, 0.8),
    trust: fc.constantFrom('untrusted' as const, 'agent' as const, 'service' as const),
  })
  fc.assert(
    fc.property(side, side, fc.boolean(), (a, b, isPinned) => {
      const pin = isPinned ? { contentKey: 'dark theme', actor: 'key:k', reason: 'x', at: 1 } : null
      const { comparison } = explain(
        [
          { ...base, ...a },
          { ...dark, ...b },
        ],
        pin,
      )
      const results = comparison.rules.map(({ result }) => result)
      const at = results.indexOf('decided')
      assert.deepEqual(
        results,
        results.map((_, index) => (index < at ? 'equal' : index === at ? 'decided' : 'not needed')),
      )
      const { winner, loser, rule } = comparison
      if (rule === 'priority') assert.ok(winner.best.priority > loser.best.priority)
      if (rule === 'observed') assert.ok(winner.best.observedAt > loser.best.observedAt)
      if (rule === 'confidence') assert.ok(winner.best.confidence > loser.best.confidence)
      assert.equal(rule === 'pin', isPinned)
      assert.notEqual(reasonOf(comparison), '')
    }),
    { numRuns: 200 },
  )
})

test('the assertions of a position have neither later ones nor later withdrawals', () => {
  const stored = [{ ...base, withdrawnPosition: 5 }, dark, { ...dark, ordinal: 2, recordedPosition: 7 }]
  assert.deepEqual(assertionsAt(stored, 4), [{ ...base, withdrawnPosition: null }, dark])
  assert.deepEqual(assertionsAt(stored, 5), [stored[0], dark])
})
