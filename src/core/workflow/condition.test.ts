import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EdgeCondition, evaluateCondition } from './condition.ts'
import { erasedValue } from './erased-value.ts'
import { newPatternBudget } from './pattern.ts'
import type { RunValues } from './template.ts'

const scope: RunValues = {
  inputs: { user: 'ada', order: { b: [1], a: 2 } },
  variables: { tags: ['x', { y: 1 }], count: 3 },
  outputs: { first: { status: 'ok' } },
}

function holds(type: EdgeCondition['type'], left: string, right: unknown): boolean {
  return evaluateCondition({ type, left, right }, scope, 'first')
}

test('equals compares JSON values independent of the order of members', () => {
  assert.ok(holds('equals', 'variables.count', 3))
  assert.ok(!holds('equals', 'variables.count', '3'))
  assert.ok(holds('equals', 'inputs.order', { a: 2, b: [1] }))
  assert.ok(!holds('equals', 'inputs.order', { a: 2 }))
  assert.ok(holds('notEquals', 'variables.count', 4))
  assert.ok(!holds('notEquals', 'variables.count', 3))
})

test('contains searches texts and arrays', () => {
  assert.ok(holds('contains', 'inputs.user', 'da'))
  assert.ok(holds('contains', 'variables.tags', { y: 1 }))
  assert.ok(!holds('contains', 'variables.tags', 'y'))
  assert.ok(!holds('contains', 'inputs.order', 'a'))
  assert.ok(!holds('contains', 'inputs.user', 1))
})

test('regex finds a pattern in a text', () => {
  assert.ok(holds('regex', 'inputs.user', '^a.a$'))
  assert.ok(!holds('regex', 'inputs.user', '^d'))
  assert.ok(!holds('regex', 'variables.count', '3'))
})

test('the left side may be an output of any node, an output of the source node or a template', () => {
  assert.ok(holds('equals', 'outputs.first.status', 'ok'))
  assert.ok(holds('equals', 'output.status', 'ok'))
  assert.ok(!evaluateCondition({ type: 'equals', left: 'output.status', right: 'ok' }, scope))
  assert.ok(holds('equals', '{{inputs.user}}/{{variables.count}}', 'ada/3'))
  assert.ok(holds('equals', '{{variables.count}}', 3))
})

test('a left side without a value equals no value', () => {
  for (const left of [
    'variables.none',
    '{{variables.none}}',
    'output.none',
    'variables.__proto__',
    'inputs.user.length',
  ]) {
    assert.ok(!holds('equals', left, null), left)
    assert.ok(!holds('contains', left, ''), left)
    assert.ok(!holds('regex', left, '.*'), left)
    assert.ok(holds('notEquals', left, 1), left)
  }
})

test('equals and notEquals are never both true or both false', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const own = { ...scope, variables: { a } }
      const [equal, different] = (['equals', 'notEquals'] as const).map((type) =>
        evaluateCondition({ type, left: 'variables.a', right: b }, own),
      )
      assert.notEqual(equal, different)
      assert.ok(evaluateCondition({ type: 'equals', left: 'variables.a', right: structuredClone(a) }, own))
    }),
  )
})

test('every condition on an erased value is false: a forget opens no edge', () => {
  const erased: RunValues = { ...scope, inputs: { user: erasedValue } }
  const types = ['equals', 'notEquals', 'contains', 'regex'] as const
  for (const left of ['inputs.user', 'inputs.user.name', 'x{{inputs.user}}'])
    for (const type of types)
      for (const right of ['ada', 'null', null, '.*'])
        assert.equal(evaluateCondition({ type, left, right }, erased), false, `${left} ${type} ${right}`)
})

test('a pattern that is too expensive for its text is refused, and so are many cheap ones together', () => {
  const condition = { type: 'regex', left: 'inputs.x', right: '(?:[a-f]{1,30} ){1,8}[0-9]' } as const
  const scopeOf = (length: number) => ({ inputs: { x: 'abcdef '.repeat(length / 7) }, variables: {}, outputs: {} })
  assert.equal(evaluateCondition(condition, scopeOf(700)), false)
  const refused = { code: 'pattern_budget_exceeded' }
  assert.throws(() => evaluateCondition(condition, scopeOf(70_000)), refused)
  const budget = newPatternBudget()
  const evaluate = () => evaluateCondition(condition, scopeOf(700), undefined, budget)
  assert.throws(() => {
    for (let times = 0; times < 100; times++) evaluate()
  }, refused)
})
