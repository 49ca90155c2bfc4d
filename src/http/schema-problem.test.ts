import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { checkIdentifier } from '../core/check.ts'
import { bounded, withCheck } from '../wires/schema-parts.ts'
import { describeProblem, knownNames, type SchemaProblem } from './schema-problem.ts'

const Body = z.strictObject({
  name: withCheck(z.string(), (field, value) => checkIdentifier(field, value, 'nameCharactersMax', 5)),
  role: z.enum(['user', 'system']).optional(),
  tags: z.array(z.string()).max(2).optional(),
  share: z.number().min(0).max(1).optional(),
  more: z.record(z.string(), z.boolean()).optional(),
})

function problemOf(body: unknown, schema: z.ZodType = Body) {
  const { error } = schema.safeParse(body, { error: knownNames })
  assert.ok(error)
  const { path = [], code = '', message, ...params } = error.issues[0] ?? {}
  return describeProblem('body', {
    instancePath: `/${path.join('/')}`,
    keyword: code,
    message,
    params,
  } as SchemaProblem)
}

test('an invalid discriminator is refused by name', () => {
  const Either = z.discriminatedUnion('raw', [
    z.strictObject({ raw: z.literal(false).optional() }),
    z.strictObject({ raw: z.literal(true), size: z.int() }),
  ])
  assert.deepEqual(problemOf({ raw: 'no' }, Either), { field: 'raw', text: 'must be one of false, true' })
  assert.deepEqual(problemOf({ raw: true, size: 'x' }, Either), { field: 'size', text: 'must be a number' })
})

test('a problem is described as the checks of the core describe it', () => {
  assert.deepEqual(problemOf({ name: 5 }), { field: 'name', text: 'must be a string' })
  assert.deepEqual(problemOf([]), { field: 'body', text: 'must be an object' })
  assert.deepEqual(problemOf({ name: 'a', role: 'x' }), { field: 'role', text: 'must be one of user, system' })
  assert.deepEqual(problemOf({ name: 'a', tags: ['a', 5] }), { field: 'tags[1]', text: 'must be a string' })
  assert.deepEqual(problemOf({ name: 'a', share: 2 }), {
    field: 'share',
    text: 'must be at most 1',
    details: { max: 1 },
  })
  const tooMany = { field: 'tags', text: 'must be at most 2 items', details: { max: 2 } }
  assert.deepEqual(problemOf({ name: 'a', tags: ['a', 'b', 'c'] }), tooMany)
})

test('the error of a too long array names its limit, and its items are not checked', () => {
  const Bounded = z.strictObject({ runs: bounded(z.string(), { runsMax: 3 }, 'runsMax', 1) })
  const tooLong = { field: 'runs', text: 'must be an array of 1 to 3', details: { limit: 'runsMax', max: 3 } }
  for (const runs of [Array.from({ length: 100_000 }, () => 0), [], 'x', undefined]) {
    const { error } = Bounded.safeParse({ runs })
    assert.equal(error?.issues.length, 1)
    const { path = [], code = '', message, ...params } = error.issues[0] ?? {}
    const problem = { instancePath: `/${path.join('/')}`, keyword: code, message, params } as SchemaProblem
    assert.deepEqual(describeProblem('body', problem), tooLong)
  }
})

test('a rule of the core names its limit', () => {
  assert.deepEqual(problemOf({ name: 'abcdef' }), {
    field: 'name',
    text: 'must be at most 5 characters',
    details: { limit: 'nameCharactersMax', max: 5 },
  })
})

test('a name that a client chose is not quoted', () => {
  assert.deepEqual(problemOf({ name: 'a', 'ada@example.com': 1 }), {
    field: 'body',
    text: 'has a member that is not known: *; known are name, role, tags, share, more',
    details: { unknownKeys: 1, unknown: ['*'] },
    unknown: ['*'],
  })
  assert.equal(problemOf({ name: 'a', more: { 'ada@example.com': 1 } }).field, 'more.*')
})
