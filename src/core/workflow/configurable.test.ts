import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isColophonError } from '../errors.ts'
import { checkConfigurable, checkConfigurableSchema } from './configurable.ts'

function fits(schema: object, value: unknown): boolean {
  const rooted = { properties: { v: schema } }
  checkConfigurableSchema(rooted)
  try {
    checkConfigurable(rooted, { v: value })
    return true
  } catch (error) {
    assert.ok(isColophonError(error, 'validation_error'), String(error))
    return false
  }
}

test('each keyword accepts matching values and refuses others', () => {
  const cases: [schema: object, good: unknown[], bad: unknown[]][] = [
    [{ type: 'integer' }, [1, 1.0, -3], [1.5, '1', null]],
    [{ type: ['null', 'string'] }, [null, ''], [0, {}]],
    [{ type: 'object' }, [{}], [[], null]],
    [{ enum: [1, { a: [2] }] }, [1, { a: [2] }], [2, { a: [] }]],
    [{ const: null }, [null], [0, false]],
    [{ minimum: 1, maximum: 2 }, [1, 2, 'x'], [0, 3]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
    [{ minLength: 1, maxLength: 2 }, ['a', '🦊🦊', 5], ['', 'abc']],
    [{ pattern: '^a+$' }, ['aa', 5], ['b']],
    [{ items: { type: 'number' }, minItems: 1, maxItems: 2 }, [[1], 'x'], [[], ['1'], [1, 2, 3]]],
    [
      { uniqueItems: true },
      [[1, '1', { a: 1, b: 2 }]],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ required: ['toString'] }, [{ toString: 1 }, 1], [{}]],
    [
      { properties: { a: { type: 'string' } }, additionalProperties: false },
      [{ a: '' }, {}],
      [{ a: 1 }, { b: 1 }, { constructor: 1 }],
    ],
    [{ additionalProperties: { type: 'number' } }, [{ x: 1 }], [{ x: '' }]],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['', 5], [4]],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], [1]],
    [{ not: { type: 'string' } }, [1], ['']],
    [{ items: false }, [[]], [[1]]],
  ]
  for (const [schema, good, bad] of cases) {
    for (const value of good) assert.ok(fits(schema, value), JSON.stringify([schema, value]))
    for (const value of bad) assert.ok(!fits(schema, value), JSON.stringify([schema, value]))
  }
})

test('an error names declared members, and no member name of the caller', () => {
  const schema = {
    properties: { recursionLimit: { minimum: 1 }, 'a b': { type: 'null' } },
    additionalProperties: false,
  }
  const refuses = (value: unknown, message: string) =>
    assert.throws(() => checkConfigurable(schema, value), { code: 'validation_error', message })
  refuses({ recursionLimit: 0 }, 'configurable.recursionLimit must be at least 1.')
  refuses({ hunter2: 0 }, 'configurable.* is not allowed.')
  refuses({ 'a b': 0 }, 'configurable.* must be of type null.')
})

test('without a schema any value passes, and a missing configurable is an empty object', () => {
  checkConfigurable(undefined, { anything: 1 })
  checkConfigurable({ type: 'object' }, undefined)
  assert.throws(() => checkConfigurable({ required: ['x'] }, undefined), { code: 'validation_error' })
})

test('a schema with a keyword that this host does not check is refused', () => {
  checkConfigurableSchema({ $schema: 'x', title: 't', description: 'd', default: 1, examples: [], $comment: 'c' })
  for (const schema of [
    true,
    null,
    [],
    { $ref: '#' },
    { format: 'email' },
    { constructor: 1 },
    { type: 'date' },
    { type: [] },
    { enum: 1 },
    { properties: [] },
    { properties: { x: 1 } },
    { required: 'x' },
    { required: [1] },
    { items: [{}] },
    { minimum: '1' },
    { minLength: -1 },
    { pattern: '(?=a)' },
    { pattern: 'x'.repeat(501) },
    { uniqueItems: 1 },
    { anyOf: [] },
    { not: 1 },
  ]) {
    assert.throws(() => checkConfigurableSchema(schema), { code: 'validation_error' }, JSON.stringify(schema))
  }
})

test('size and steps are limited', () => {
  const many = (count: number, item: unknown) => Array(count).fill(item)
  const limitOf = (run: () => void) => {
    try {
      run()
    } catch (error) {
      return isColophonError(error) ? error.details.limit : error
    }
  }
  assert.equal(
    limitOf(() => checkConfigurableSchema({ anyOf: many(1_000, {}) })),
    'configurableSubschemasMax',
  )
  assert.equal(
    limitOf(() => checkConfigurableSchema({ anyOf: many(51, { pattern: 'a' }) })),
    'configurablePatternsMax',
  )
  assert.equal(
    limitOf(() => checkConfigurable({}, { x: 'x'.repeat(65_536) })),
    'configurableBytesMax',
  )
  const costly = { properties: { v: { items: { enum: many(100_000, 1) } } } }
  assert.equal(
    limitOf(() => checkConfigurable(costly, { v: many(1_000, 2) })),
    undefined,
  )
  assert.equal(
    limitOf(() => checkConfigurable(costly, { v: many(1_000, 1) })),
    'configurableStepsMax',
  )
})

test('an arbitrary schema or value gives only validation errors', () => {
  const keyword = fc.constantFrom(
    'type',
    'enum',
    'properties',
    'required',
    'items',
    'minimum',
    'pattern',
    'anyOf',
    'not',
    '__proto__',
  )
  const schema = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(keyword, tie('schema'), { maxKeys: 3 }),
      fc.constantFrom(['string'], [{}], 'object', { a: {} }),
    ),
  })).schema
  fc.assert(
    fc.property(schema, fc.jsonValue({ maxDepth: 3 }), (candidate, value) => {
      try {
        checkConfigurableSchema(candidate)
        checkConfigurable(candidate, value)
      } catch (error) {
        assert.ok(isColophonError(error, 'validation_error'), String(error))
      }
    }),
    { numRuns: 2_000 },
  )
})
