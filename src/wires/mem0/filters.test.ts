import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { entityOfSubject, scopeOf, subjectOf } from '../../core/provenance/mem0-entities.ts'
import { WireError } from '../../http/wire-error.ts'
import { type Facts, parseFilter } from './filters.ts'

const facts: Facts = {
  user_id: 'ada',
  agent_id: null,
  app_id: 'web',
  run_id: 'r-1',
  categories: ['preference'],
  metadata: { room: 4, tags: ['a', 'b'], note: 'Quiet Room' },
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-02T10:00:00.000Z',
}

describe('filters of mem0', () => {
  const cases: [filter: object, isMatch: boolean][] = [
    [{}, true],
    [{ user_id: 'ada' }, true],
    [{ user_id: 'bo' }, false],
    [{ app_id: '*' }, true],
    [{ agent_id: '*' }, false],
    [{ run_id: { in: ['r-0', 'r-1'] } }, true],
    [{ run_id: { ne: 'r-1' } }, false],
    [{ categories: { in: ['fact'] } }, false],
    [{ categories: ['preference', 'fact'] }, true],
    [{ categories: { contains: 'preference' } }, true],
    [{ created_at: { gte: '2026-03-01', lt: '2026-03-02' } }, true],
    [{ created_at: { gt: '2026-03-01T10:00:00Z' } }, false],
    [{ updated_at: { lte: '2026-03-02T10:00:00Z' } }, true],
    [{ metadata: { room: 4 } }, true],
    [{ metadata: { room: { gt: 4 } } }, false],
    [{ metadata: { room: { gte: 4, lte: 4 } } }, true],
    [{ metadata: { tags: { contains: 'b' } } }, true],
    [{ metadata: { note: { icontains: 'quiet' } } }, true],
    [{ metadata: { note: { contains: 'quiet' } } }, false],
    [{ metadata: { nothing: 'x' } }, false],
    [{ OR: [{ user_id: 'bo' }, { app_id: 'web' }] }, true],
    [{ NOT: [{ app_id: 'web' }] }, false],
    [{ AND: [{ user_id: 'ada' }, { NOT: [{ run_id: 'r-2' }] }] }, true],
  ]
  for (const [filter, isMatch] of cases)
    test(`${JSON.stringify(filter)} is ${isMatch}`, () => assert.equal(parseFilter(filter).isMatch(facts), isMatch))

  test('finds the entities that every match has, and not those of one branch', () => {
    const all = parseFilter({ AND: [{ user_id: 'ada' }, { AND: [{ run_id: 'r-1' }] }] })
    assert.deepEqual([all.entities, all.isMore], [{ user_id: 'ada', run_id: 'r-1' }, false])
    assert.deepEqual(parseFilter({ OR: [{ user_id: 'ada' }] }).entities, {})
    assert.deepEqual(parseFilter({ NOT: [{ user_id: 'ada' }] }).entities, {})
    for (const more of [{ metadata: { a: 1 } }, { OR: [{ run_id: 'r' }] }, { NOT: [{ run_id: 'r' }] }, { run_id: '*' }])
      assert.equal(parseFilter({ user_id: 'ada', ...more }).isMore, true)
  })

  test('refuses what it does not know, by name', () => {
    const isUnsupported = (field: string) => (error: unknown) =>
      error instanceof WireError && error.code === 'mem0_unsupported' && error.details.field === field
    assert.throws(() => parseFilter({ keywords: 'x' }), isUnsupported('filters.keywords'))
    assert.throws(() => parseFilter({ metadata: { a: { like: 1 } } }), isUnsupported('filters.metadata.a.like'))
    assert.throws(() => parseFilter({ run_id: { constructor: 1 } }), isUnsupported('filters.run_id.constructor'))
    const isInvalid = (error: unknown) => isColophonError(error, 'validation_error')
    assert.throws(() => parseFilter({ AND: [{ user_id: 'ada' }, { user_id: 'bo' }] }), isInvalid)
    assert.throws(() => parseFilter({ OR: {} }), isInvalid)
    assert.throws(() => parseFilter({ created_at: { gte: 'yesterday' } }), isInvalid)
    let deep: object = { user_id: 'ada' }
    for (let depth = 0; depth < 20; depth++) deep = { AND: [deep] }
    assert.throws(() => parseFilter(deep), isInvalid)
  })

  test('refuses more conditions and values than every memory can be compared with', () => {
    const isTooMany = (error: unknown) =>
      isColophonError(error, 'validation_error') && error.details.limit === 'mem0FilterValuesMax'
    const many = Array.from({ length: limits.mem0FilterValuesMax }, (_, at) => `r-${at}`)
    assert.ok(parseFilter({ run_id: { in: many.slice(2) } }))
    assert.throws(() => parseFilter({ run_id: { in: many } }), isTooMany)
    assert.throws(() => parseFilter({ OR: many.map((run_id) => ({ run_id })) }), isTooMany)
    assert.throws(() => parseFilter({ metadata: { a: [[many]] } }), isTooMany)
  })
})

describe('entities of mem0', () => {
  test('name one subject, which names them back', () => {
    assert.equal(subjectOf({ user_id: 'ada', agent_id: 'helper' }), 'ada')
    assert.deepEqual(entityOfSubject('ada'), { kind: 'user', field: 'user_id', id: 'ada' })
    for (const field of ['agent_id', 'app_id', 'run_id'] as const) {
      const { field: found, id } = entityOfSubject(subjectOf({ [field]: 'x:1' }))
      assert.deepEqual([found, id], [field, 'x:1'])
    }
  })

  test('a user never names the subject of an agent', () => {
    for (const id of ['agent:x', 'app:x', 'run:x'])
      assert.throws(() => subjectOf({ user_id: id }), /must not begin with/)
  })

  test('a run is the conversation of the event', () => {
    assert.deepEqual(scopeOf({ run_id: 'r', app_id: 'a' }), { session_id: 'r', app_id: 'a' })
    assert.equal(scopeOf({ user_id: 'ada' }), null)
  })
})
