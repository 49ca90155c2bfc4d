import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Assertion } from './claim.ts'
import { planClaim } from './plan-claim.ts'

test('an assertion is added to a claim that has 150,000', () => {
  const identity = { claimId: 'clm_1', subject: 'ada', category: 'fact', claimKey: 'home' } as const
  const facts = { candidate: 0, service: null, eventId: null, actor: null, content: 'Lisbon', contentKey: 'lisbon' }
  const weight = { importance: 5, confidence: 1, priority: 50, observedAt: 0, trust: 'agent' } as const
  const stated = { ...facts, ...weight, sourceEventId: 'src_1' }
  const place = {
    claimId: 'clm_1',
    entryId: null,
    recordedPosition: 1,
    withdrawnPosition: null,
    seal: '',
    trust: 'agent',
  } as const
  const assertions = Array.from({ length: 150_000 }, (_, ordinal): Assertion => ({ ...stated, ...place, ordinal }))
  const added = { ...stated, importance: 9, origin: { kind: 'api' }, tags: [], expiresAt: null, readers: null } as const
  const ids = { entryId: () => 'mem_1', salt: () => 'salt' }
  const plan = planClaim(identity, { claim: null, assertions, entries: new Map() }, { added: [added] }, ids)
  assert.equal(plan.step.assertions[0]?.ordinal, 150_000)
  assert.equal(plan.puts[0]?.classification?.importance, 9)
})

test('a pin of a content that was withdrawn is kept, and the next content wins', () => {
  const identity = { claimId: 'clm_1', subject: 'ada', category: 'fact', claimKey: 'home' } as const
  const facts = { candidate: 0, service: null, eventId: null, actor: null, importance: 5, confidence: 1, priority: 50 }
  const place = {
    claimId: 'clm_1',
    observedAt: 0,
    recordedPosition: 1,
    withdrawnPosition: null,
    seal: '',
    trust: 'agent',
  } as const
  const lisbon = { content: 'Lisbon', contentKey: 'lisbon', ordinal: 0, sourceEventId: 'src_1', entryId: null }
  const porto = { content: 'Porto', contentKey: 'porto', ordinal: 1, sourceEventId: 'src_2', entryId: null }
  const assertions: Assertion[] = [
    { ...facts, ...place, ...lisbon, withdrawnPosition: 2 },
    { ...facts, ...place, ...porto, isKeptAlone: true },
  ]
  const pin = { contentKey: 'lisbon', actor: 'key:k1', reason: 'Seen.', at: 0 }
  const ids = { entryId: () => 'mem_2', salt: () => 'salt' }
  const plan = planClaim(identity, { claim: null, assertions, entries: new Map() }, { pin }, ids)
  assert.equal(plan.step.claim.pin?.contentKey, 'lisbon')
})
