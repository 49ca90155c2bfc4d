import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EntryVersion } from '../entries/entry.ts'
import { trustClasses, trustRank } from '../entries/trust.ts'
import { matches } from '../filter/filter.ts'
import { defaultClassification } from '../provenance/category.ts'
import { conditionsOf, matchesFilter, type SearchFilter } from './filter.ts'

const name = fc.constantFrom('a', 'b', 'fact', 'goal')
const instant = fc.integer({ min: 0, max: 5 })
const trust = fc.constantFrom(...trustClasses)

const entry = fc.record({
  tags: fc.uniqueArray(name, { maxLength: 2 }),
  subject: fc.option(name),
  origin: fc.oneof(
    fc.record({ kind: fc.constant('api') }),
    fc.record({ kind: fc.constant('api'), agentId: name }),
    fc.record({ kind: fc.constant('service'), service: name, sourceEventId: fc.constant('src_1') }),
  ),
  classification: fc.option(
    fc.constantFrom('fact', 'goal').map((category) => ({ ...defaultClassification, category })),
  ),
  createdAt: instant,
  trust,
})

const members = {
  tag: name,
  categories: fc.array(name, { maxLength: 2 }),
  agentId: name,
  subject: name,
  from: instant,
  to: instant,
  where: fc.constant({ kind: 'text', field: 'tag', in: ['a'] } as const),
}

/** One or two members: a filter of all of them would select nothing, and so would a wrong one. */
const filter = fc
  .tuple(fc.record(members), fc.subarray(Object.keys(members), { maxLength: 2 }))
  .map(([all, kept]) => Object.fromEntries(Object.entries(all).filter(([key]) => kept.includes(key))) as SearchFilter)

test('the conditions of a search filter select what the filter and the minimum trust select', () => {
  const property = fc.property(entry, filter, trust, (fields, wanted, trustMin) => {
    const version = fields as unknown as EntryVersion
    const conditions = conditionsOf(wanted, trustMin)
    const isSelected =
      matchesFilter(version, wanted) &&
      (wanted.where === undefined || version.tags.includes('a')) &&
      trustRank(version.trust) >= trustRank(trustMin)
    assert.equal(conditions === undefined || matches({ ...version, metadata: null }, conditions), isSelected)
  })
  fc.assert(property, { numRuns: 500 })
  assert.equal(conditionsOf({}, 'untrusted'), undefined)
})
