import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fits, type SearchFilter } from './filter.ts'
import { type Marked, marksOf, wantedMarks } from './marks.ts'

const now = Date.UTC(2026, 5, 1)
const day = 24 * 60 * 60 * 1_000
const entry: Marked = {
  tags: ['drink', 'Drink'],
  subject: 'ada',
  origin: { kind: 'service', service: 'crm', agentId: 'scribe' },
  classification: null,
  createdAt: now,
}

function has(marked: Marked, filter: SearchFilter): boolean {
  const own = new Set(marksOf(marked))
  return wantedMarks(filter, now).every((any) => any.some((one) => own.has(one)))
}

test('an entry has the marks of every filter that it fits, and not those of others', () => {
  for (const filter of [{ tag: 'drink' }, { tag: 'Drink' }, { categories: ['goal', 'fact'] }, { writer: 'crm' }])
    assert.ok(has(entry, filter))
  for (const filter of [{ subject: 'ada' }, { agentId: 'scribe' }, { from: now }, { to: now + 1 }, {}])
    assert.ok(has(entry, filter))
  for (const filter of [{ tag: 'DRINK' }, { tag: 'ada' }, { categories: ['goal'] }, { categories: [] }])
    assert.ok(!has(entry, filter))
  for (const filter of [
    { writer: 'ada' },
    { subject: 'crm' },
    { agentId: 'crm' },
    { from: now + day },
    { to: now - day },
  ])
    assert.ok(!has(entry, filter))
})

test('no time that fits is left out, little that does not fit is let in, and spans are few', () => {
  const instant = fc.integer({ min: 0, max: now + 3 * 365 * day })
  const near = fc.integer({ min: now - 400 * day, max: now })
  // As far as a date can be: people end a filter in the year 9999.
  const far = fc.integer({ min: -8.64e15, max: 8.64e15 })
  fc.assert(
    fc.property(
      fc.oneof(instant, near),
      fc.option(fc.oneof(instant, near, far), { nil: undefined }),
      fc.option(fc.oneof(instant, near, far), { nil: undefined }),
      (createdAt, from, to) => {
        fc.pre(createdAt < now + 2 ** 36)
        const filter = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
        const isFitting = fits({ ...entry, createdAt } as Parameters<typeof fits>[0], filter)
        const isMarked = has({ ...entry, createdAt }, filter)
        if (isFitting) assert.ok(isMarked)
        const edge = 2 ** 20
        const isFar = createdAt < (from ?? 0) - edge || createdAt >= (to ?? Number.POSITIVE_INFINITY) + edge
        if (isFar) assert.ok(!isMarked)
        for (const marks of wantedMarks(filter, now)) {
          assert.equal(new Set(marks).size, marks.length)
          assert.ok(marks.length <= 3 * 62 + 55)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a filter that leaves no time out narrows nothing', () => {
  const end = Date.UTC(9999, 11, 31)
  for (const filter of [{ to: end }, { from: 0 }, { from: Date.UTC(-1, 0), to: end }])
    assert.deepEqual(wantedMarks(filter, now), [])
  assert.equal(wantedMarks({ from: 1, to: end }, now).length, 1)
})

test('what is named often is looked up once', () => {
  const categories = Array.from({ length: 1_000 }, (_, nth) => (nth % 2 === 0 ? 'fact' : 'goal'))
  assert.equal(wantedMarks({ categories }, now)[0]?.length, 2)
})
