import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { statedBy } from '../filter/filter.ts'
import { matchesFilter, type SearchFilter } from './filter.ts'
import { type FilteredFields, filterKeysOf, isDecidedByKeys, requiredFilterKeys } from './filter-keys.ts'

const now = Date.UTC(2026, 5, 1)
const day = 24 * 60 * 60 * 1_000
const entry: FilteredFields = {
  tags: ['drink', 'Drink'],
  subject: 'ada',
  origin: { kind: 'service', service: 'crm', agentId: 'scribe' },
  classification: null,
  createdAt: now,
}

function has(fields: FilteredFields, filter: SearchFilter, memoryRef = 'notes'): boolean {
  const own = new Set(filterKeysOf(fields))
  return requiredFilterKeys(filter, now, memoryRef).every((keys) => keys.some((key) => own.has(key)))
}

test('an entry has the filter keys of every filter that it matches, and not those of others', () => {
  for (const filter of [
    { tag: 'drink' },
    { tag: 'Drink' },
    { categories: ['goal', 'fact'] },
    { where: statedBy(['crm']) },
  ])
    assert.ok(has(entry, filter))
  for (const filter of [{ subject: 'ada' }, { agentId: 'scribe' }, { from: now }, { to: now + 1 }, {}])
    assert.ok(has(entry, filter))
  for (const filter of [{ tag: 'DRINK' }, { tag: 'ada' }, { categories: ['goal'] }, { categories: [] }])
    assert.ok(!has(entry, filter))
  for (const filter of [
    { where: statedBy(['ada']) },
    { subject: 'crm' },
    { agentId: 'crm' },
    { from: now + day },
    { to: now - day },
  ])
    assert.ok(!has(entry, filter))
})

test('the keys do not decide about the writer of a memory about a person, which another service may confirm', () => {
  const byMail = { where: statedBy(['mail']) }
  assert.ok(has(entry, byMail, 'subject:ada') && !has(entry, byMail, 'notes'))
  assert.ok(isDecidedByKeys(byMail.where, 'notes') && !isDecidedByKeys(byMail.where, 'subject:ada'))
  const both = { kind: 'and', of: [byMail.where, { kind: 'text', field: 'tag', in: ['none'] }] } as const
  assert.ok(!has(entry, { where: both }, 'subject:ada') && !isDecidedByKeys(both, 'subject:ada'))
})

test('time spans cover every matching time, few others, and are limited in number', () => {
  const instant = fc.integer({ min: 0, max: now + 3 * 365 * day })
  const near = fc.integer({ min: now - 400 * day, max: now })
  // The full range of a date: clients end a filter in the year 9999.
  const far = fc.integer({ min: -8.64e15, max: 8.64e15 })
  fc.assert(
    fc.property(
      fc.oneof(instant, near),
      fc.option(fc.oneof(instant, near, far), { nil: undefined }),
      fc.option(fc.oneof(instant, near, far), { nil: undefined }),
      (createdAt, from, to) => {
        fc.pre(createdAt < now + 2 ** 36)
        const filter = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
        const isMatching = matchesFilter({ ...entry, createdAt } as Parameters<typeof matchesFilter>[0], filter)
        const hasKeys = has({ ...entry, createdAt }, filter)
        if (isMatching) assert.ok(hasKeys)
        const edge = 2 ** 20
        const isFar = createdAt < (from ?? 0) - edge || createdAt >= (to ?? Number.POSITIVE_INFINITY) + edge
        if (isFar) assert.ok(!hasKeys)
        for (const keys of requiredFilterKeys(filter, now, 'notes')) {
          assert.equal(new Set(keys).size, keys.length)
          assert.ok(keys.length <= 3 * 62 + 55)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a time filter that covers all times requires no filter keys', () => {
  const end = Date.UTC(9999, 11, 31)
  for (const filter of [{ to: end }, { from: 0 }, { from: Date.UTC(-1, 0), to: end }])
    assert.deepEqual(requiredFilterKeys(filter, now, 'notes'), [])
  assert.equal(requiredFilterKeys({ from: 1, to: end }, now, 'notes').length, 1)
})

test('duplicate categories of a filter are looked up once', () => {
  const categories = Array.from({ length: 1_000 }, (_, nth) => (nth % 2 === 0 ? 'fact' : 'goal'))
  assert.equal(requiredFilterKeys({ categories }, now, 'notes')[0]?.length, 2)
})
