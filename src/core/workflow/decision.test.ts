import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import { checkDecision } from './decision.ts'
import { checkSupervisorConfig, decideByRules } from './decision-rules.ts'

function fieldOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    assert.ok(isColophonError(error, 'validation_error'), String(error))
    return String(error.details.field)
  }
}

const refusedIn = (value: unknown) => fieldOf(() => checkDecision('d', value))

test('the shape of a decision is closed', () => {
  for (const good of [
    { kind: 'next-worker', nextWorkerIds: ['a', 'b'], confidence: 1 },
    { kind: 'ask-user', prompt: 'Which?' },
    { kind: 'terminate' },
    { kind: 'terminate', reason: 'done', confidence: 0, successCriteria: [{ key: 'a', met: true }] },
  ])
    assert.equal(refusedIn(good), null, JSON.stringify(good))
  const cases: readonly [unknown, string][] = [
    [null, 'd'],
    [{ kind: 'clarify' }, 'd.kind'],
    [{ kind: 'next-worker' }, 'd.nextWorkerIds'],
    [{ kind: 'next-worker', nextWorkerIds: [] }, 'd.nextWorkerIds'],
    [{ kind: 'next-worker', nextWorkerIds: [''] }, 'd.nextWorkerIds[0]'],
    [{ kind: 'next-worker', nextWorkerIds: Array.from({ length: 101 }, () => 'a') }, 'd.nextWorkerIds'],
    [{ kind: 'next-worker', nextWorkerIds: ['a'], reason: 'x' }, 'd'],
    [{ kind: 'ask-user', prompt: '' }, 'd.prompt'],
    [{ kind: 'ask-user', prompt: 'x', confidence: 1 }, 'd'],
    [{ kind: 'terminate', confidence: 1.1 }, 'd.confidence'],
    [{ kind: 'terminate', confidence: '1' }, 'd.confidence'],
    [{ kind: 'terminate', successCriteria: [{ key: 'a' }] }, 'd.successCriteria'],
    [{ kind: 'terminate', reason: '' }, 'd.reason'],
  ]
  for (const [value, field] of cases) assert.equal(refusedIn(value), field, JSON.stringify(value))
})

const equals = (left: string, right: unknown) => ({ type: 'equals', left, right }) as const

test('the first rule whose conditions are all true decides', () => {
  const first = { kind: 'terminate', reason: 'first' } as const
  const second = { kind: 'terminate', reason: 'second' } as const
  const rules = [
    { when: [equals('variables.a', 1), equals('output.turn', 2)], decide: first },
    { when: [equals('variables.a', 1)], decide: second },
  ]
  const decide = (a: number, turn: number) =>
    decideByRules(rules, { inputs: {}, variables: { a }, outputs: { s: { turn } } }, 's')
  assert.equal(decide(1, 2), first)
  assert.equal(decide(1, 1), second)
  assert.equal(decide(2, 2), null)
  const always = decideByRules([{ decide: first }], { inputs: {}, variables: {}, outputs: {} }, 's')
  assert.equal(always, first)
})

test('the config of a supervisor is checked at registration', () => {
  const refused = (config: Record<string, unknown>) => fieldOf(() => checkSupervisorConfig(config, 'config'))
  const rules = [{ decide: { kind: 'terminate' } }]
  assert.equal(
    refused({ rules, memory: { open: { memoryRef: 'cases', tag: 't', query: 'q', limit: 5 } }, iterationCap: 3 }),
    null,
  )
  assert.equal(refused({}), 'config.rules')
  assert.equal(refused({ rules: [] }), 'config.rules')
  assert.equal(refused({ rules: [{ decide: { kind: 'x' } }] }), 'config.rules[0].decide.kind')
  assert.equal(
    refused({ rules: [{ when: [equals('elsewhere', 1)], decide: { kind: 'terminate' } }] }),
    'config.rules[0].when[0].left',
  )
  assert.equal(refused({ rules: [{ otherwise: 1, decide: { kind: 'terminate' } }] }), 'config.rules[0]')
  assert.equal(refused({ rules, memory: { open: { limit: 0 } } }), 'config.memory.open.limit')
  assert.equal(refused({ rules, iterationCap: 0 }), 'config.iterationCap')
})
