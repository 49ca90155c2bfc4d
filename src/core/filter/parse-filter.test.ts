import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import { parseFilter } from './parse-filter.ts'

const refusal = (value: unknown) => {
  try {
    parseFilter(value)
  } catch (error) {
    if (isColophonError(error)) return [error.code, error.details.field, error.details.limit].filter(Boolean).join(' ')
    throw error
  }
  return 'accepted'
}

test('members of an object must all hold; a plain value means equal', () => {
  assert.deepEqual(parseFilter({ tag: 'tea' }), { kind: 'text', field: 'tag', in: ['tea'] })
  assert.deepEqual(parseFilter({ trust: { gte: 'service' }, metadata: { plan: 'pro', seats: { lt: 5 } } }), {
    kind: 'and',
    of: [
      { kind: 'number', field: 'trust', bounds: { gte: 2 } },
      { kind: 'metadata', key: 'plan', in: ['pro'] },
      { kind: 'metadata', key: 'seats', bounds: { lt: 5 } },
    ],
  })
})

test('an error names the member that is wrong', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ['tea', 'validation_error filter'],
    [{}, 'validation_error filter'],
    [{ colour: 'red' }, 'validation_error filter.colour'],
    [{ 'a key with spaces': 1 }, 'validation_error filter.*'],
    [{ and: [] }, 'validation_error filter.and'],
    [{ or: [{ tag: 1 }] }, 'validation_error filter.or[0].tag'],
    [{ not: [{ tag: 'a' }] }, 'validation_error filter.not'],
    [{ tag: { gte: 'a' } }, 'validation_error filter.tag'],
    [{ tag: { in: [] } }, 'validation_error filter.tag.in'],
    [{ tag: 'x'.repeat(300) }, 'validation_error filter.tag tagCharactersMax'],
    [{ category: 'hobby' }, 'validation_error filter.category'],
    [{ created: { gte: 'yesterday' } }, 'validation_error filter.created.gte'],
    [{ confidence: { near: 1 } }, 'validation_error filter.confidence.near'],
    [{ confidence: { in: [1], gte: 0 } }, 'validation_error filter.confidence'],
    [{ trust: 'boss' }, 'validation_error filter.trust'],
    [{ metadata: { plan: ['pro'] } }, 'validation_error filter.metadata.plan'],
    [{ metadata: { seats: { gte: 'many' } } }, 'validation_error filter.metadata.seats.gte'],
  ]
  for (const [value, expected] of cases) assert.equal(refusal(value), expected, JSON.stringify(value))
})

test('a filter that costs too much is refused by the name of the limit, at the limit and not before', () => {
  const nested = (depth: number): unknown => (depth === 1 ? { tag: 'a' } : { not: nested(depth - 1) })
  assert.equal(refusal(nested(limits.filterDepthMax)), 'accepted')
  assert.match(refusal(nested(limits.filterDepthMax + 1)), /^filter_too_costly filter.* filterDepthMax$/)
  const many = (count: number) => ({
    or: [0, 1].map((half) => ({ and: Array(half ? count - 16 : 16).fill({ tag: 'a' }) })),
  })
  assert.equal(refusal(many(limits.filterConditionsMax)), 'accepted')
  assert.equal(refusal(many(limits.filterConditionsMax + 1)), 'filter_too_costly filter filterConditionsMax')
  const values = (count: number) => ({ tag: { in: Array(count).fill('a') } })
  assert.equal(refusal(values(limits.filterValuesMax)), 'accepted')
  assert.equal(refusal(values(limits.filterValuesMax + 1)), 'filter_too_costly filter filterValuesMax')
})
