import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Trust, trustClasses, trustRank } from '../entries/trust.ts'
import type { Assertion } from './claim.ts'
import { type CredentialLines, contentTrust } from './content-trust.ts'
import { resolveClaim } from './resolve-conflict.ts'

type Supporter = Pick<Assertion, 'trust' | 'actor' | 'observedAt' | 'recordedPosition'>

/** A statement; recorded when it was observed, unless a position is given. */
const stated = (trust: Trust, actor: string | null, observedAt: number, recordedPosition = observedAt): Supporter => ({
  ...{ trust, actor, observedAt, recordedPosition },
})

/** The operator made a, b and m. The key m has no scope memory:admin, and made m1 and m2. */
const operator = { actor: 'op', isOperator: true }
const line = (...actors: string[]) => [...actors.map((actor) => ({ actor, isOperator: false })), operator]
const lines: CredentialLines = new Map([
  ['op', [operator]],
  ...['a', 'b', 'm'].map((actor) => [actor, line(actor)] as const),
  ...['m1', 'm2'].map((actor) => [actor, line(actor, 'm')] as const),
])

const trustOf = (supporters: readonly Supporter[], withdrawn: readonly Supporter[] = []) =>
  contentTrust(supporters, lines, withdrawn)

test('a text that was untrusted first stays so when one agent repeats it', () => {
  assert.equal(trustOf([stated('untrusted', 'a', 1)]), 'untrusted')
  assert.equal(trustOf([stated('untrusted', 'a', 1), stated('agent', 'a', 2)]), 'untrusted')
  assert.equal(trustOf([stated('untrusted', 'a', 1), stated('agent', 'b', 1)]), 'untrusted', 'at the same instant')
  assert.equal(
    trustOf([stated('agent', 'b', 3)], [stated('untrusted', 'a', 1)]),
    'untrusted',
    'also if it was withdrawn',
  )
})

test('a text keeps its class when a source of a lower class repeats it later', () => {
  assert.equal(trustOf([stated('service', 'a', 1), stated('agent', 'b', 2), stated('untrusted', 'b', 3)]), 'service')
  assert.equal(trustOf([stated('agent', 'a', 1)], [stated('untrusted', 'a', 2)]), 'agent')
})

// Model rule: trust.operator-verifies
test('two independent credentials of a higher class corroborate it, and an operator verifies it', () => {
  const tool = stated('untrusted', 'a', 1)
  assert.equal(trustOf([tool, stated('agent', 'a', 2), stated('agent', 'b', 3)]), 'agent')
  assert.equal(trustOf([tool, stated('service', 'a', 2), stated('agent', 'b', 3)]), 'agent')
  assert.equal(trustOf([tool, stated('service', 'a', 2), stated('service', 'b', 3)]), 'service')
  assert.equal(trustOf([tool, stated('verified', 'op', 9)]), 'verified')
})

// Model rule: trust.independent-credentials
test('credentials that were made by one another, or by one below an operator, are not independent', () => {
  const tool = stated('untrusted', 'a', 1)
  for (const [first, second] of [
    ['m1', 'm'],
    ['op', 'a'],
    ['m1', 'm2'],
    ['m1', 'm1'],
    ['m1', null],
  ] as const) {
    const both = [stated('agent', first, 2), stated('agent', second, 3)]
    assert.equal(trustOf([tool, ...both]), 'untrusted', `${first} and ${second}`)
  }
  assert.equal(trustOf([tool, stated('agent', 'm1', 2), stated('agent', 'b', 3)]), 'agent', 'm1 and b')
})

test('a line that was not read to its end is independent of nothing', () => {
  const cut: CredentialLines = new Map([...lines, ['long', null]])
  const tool = stated('untrusted', 'a', 1)
  for (const other of ['long', 'unknown', 'b', 'op']) {
    const both = [stated('agent', 'long', 2), stated('agent', other, 3)]
    assert.equal(contentTrust([tool, ...both], cut), 'untrusted', other)
  }
})

// Model rule: trust.no-backdating
test('a credential that repeats an untrusted text with an earlier observation raises it neither itself nor by a key of its line', () => {
  const tool = stated('untrusted', 'm', 5, 1)
  for (const actor of ['m', 'm1', 'm2', 'op', null]) {
    const backdated = stated('agent', actor, 2, 7)
    assert.equal(trustOf([tool, backdated]), 'untrusted', `${actor}`)
    assert.equal(trustOf([backdated], [tool]), 'untrusted', `${actor}, after the tool was withdrawn`)
  }
  assert.equal(trustOf([tool, stated('agent', 'm', 2, 1)]), 'untrusted', 'at the same position')
  assert.equal(trustOf([tool, stated('agent', 'm', 2, 0)]), 'agent', 'observed and recorded before')
  assert.equal(trustOf([tool, stated('agent', 'm', 6, 0)]), 'untrusted', 'recorded before, observed after')
  assert.equal(trustOf([tool, stated('agent', 'b', 2, 7)]), 'agent', 'another line observed it before')
  const others = [stated('untrusted', 'a', 1, 3), stated('agent', 'b', 2, 7)]
  assert.equal(trustOf([tool, ...others]), 'untrusted', 'of all lines together none was first')
})

test('a claim with very many statements is decided by the number of credentials, not of pairs of statements', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => stated(at % 2 ? 'agent' : 'untrusted', 'a', 100_000 - at, at))
  const startedAt = performance.now()
  assert.equal(trustOf(many), 'untrusted')
  assert.ok(performance.now() - startedAt < 5_000)
})

const supporter = fc.record({
  trust: fc.constantFrom(...trustClasses),
  actor: fc.constantFrom('a', 'b', 'm', 'm1', 'm2', 'op', null),
  observedAt: fc.integer({ min: 0, max: 6 }),
  recordedPosition: fc.integer({ min: 0, max: 6 }),
})
const supporters = fc.array(supporter, { minLength: 1, maxLength: 7 })

// Model rule: trust.order-of-arrival
test('the class does not depend on the order, and is one of those that were stated', () => {
  fc.assert(
    fc.property(supporters, fc.infiniteStream(fc.nat()), (set, keys) => {
      const shuffled = set
        .map((item) => ({ item, key: keys.next().value ?? 0 }))
        .sort((x, y) => x.key - y.key)
        .map(({ item }) => item)
      assert.equal(trustOf(shuffled), trustOf(set))
      assert.ok(set.some(({ trust }) => trust === trustOf(set)))
    }),
  )
})

// Model rule: trust.no-laundering
test('neither a later statement of a lower class nor a repeated one changes the class upwards', () => {
  fc.assert(
    fc.property(supporters, supporter, fc.nat(), (set, other, at) => {
      const before = trustRank(trustOf(set))
      const later = 10
      if (trustRank(other.trust) <= before) {
        assert.ok(trustRank(trustOf([...set, { ...other, observedAt: later, recordedPosition: later }])) <= before)
      }
      const repeated = set[at % set.length] as Supporter
      assert.equal(
        trustRank(trustOf([...set, { ...repeated, observedAt: later, recordedPosition: later }])),
        before,
        'the same credential again',
      )
      assert.ok(trustRank(trustOf(set, [other])) <= before, 'a withdrawn statement never helps')
    }),
  )
})

test('10,000 seeded attacks of one leaked key elevate no untrusted text, and lower none that was trusted first', () => {
  const family = fc.constantFrom('m', 'm1', 'm2', null)
  const attack = fc.record({
    trust: fc.constantFrom<Trust>('untrusted', 'agent', 'service'),
    actor: family,
    observedAt: fc.integer({ min: 1, max: 9 }),
    recordedPosition: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(fc.array(attack, { maxLength: 9 }), fc.constantFrom(...trustClasses), (attacks, trust) => {
      assert.equal(trustOf([stated('untrusted', 'a', 0), ...attacks]), 'untrusted')
      assert.equal(trustOf([stated('untrusted', 'm', 5, 0), ...attacks]), 'untrusted', 'observed before the tool')
      const first = trustOf([
        stated(trust, 'a', 0),
        ...attacks.map((item) => ({ ...item, trust: 'untrusted' as const })),
      ])
      assert.equal(first, trust)
    }),
    { numRuns: 10_000, seed: 49 },
  )
})

const assertion = (change: Partial<Assertion>): Assertion => ({
  ...{ claimId: 'clm_1', ordinal: 0, sourceEventId: 'src_1', candidate: 0, service: null, eventId: null },
  ...{ content: 'x', contentKey: 'x', importance: 5, confidence: 1, priority: 50, recordedPosition: 1 },
  ...{ actor: 'a', observedAt: 1, trust: 'agent', entryId: null, withdrawnPosition: null, seal: '' },
  ...change,
})

test('below the floor a content cannot win against a higher class, whatever its priority; alone it wins', () => {
  const poison = assertion({ contentKey: 'poison', priority: 100, observedAt: 9, trust: 'untrusted' })
  const known = assertion({ contentKey: 'known', priority: 1, sourceEventId: 'src_2' })
  const winnerAt = (floorWin: Trust, ...all: Assertion[]) =>
    resolveClaim(all, null, { floorWin, lines }).winner?.contentKey
  assert.equal(winnerAt('agent', poison, known), 'known')
  assert.equal(winnerAt('untrusted', poison, known), 'poison')
  assert.equal(winnerAt('agent', poison), 'poison')
  const service = assertion({ contentKey: 'crm', priority: 0, trust: 'service', sourceEventId: 'src_3' })
  assert.equal(winnerAt('agent', known, service), 'known', 'at or above the floor the priority decides')
  assert.equal(winnerAt('service', known, service), 'crm')
  const pin = { contentKey: 'poison', actor: 'op', reason: 'checked', at: 1 }
  assert.equal(resolveClaim([poison, known], pin, { floorWin: 'agent', lines }).winner?.trust, 'verified')
})

test('a content is not ranked by the priority of a source below its class', () => {
  const known = assertion({ contentKey: 'known', priority: 10, observedAt: 1 })
  const echo = assertion({
    contentKey: 'known',
    priority: 90,
    observedAt: 2,
    trust: 'untrusted',
    sourceEventId: 'src_2',
    recordedPosition: 2,
  })
  const rival = assertion({ contentKey: 'rival', priority: 50, sourceEventId: 'src_3' })
  const { winner, contents } = resolveClaim([known, echo, rival], null, { floorWin: 'agent', lines })
  assert.equal(winner?.contentKey, 'rival')
  assert.deepEqual(
    contents.map(({ best }) => best.priority),
    [50, 10],
  )
})
