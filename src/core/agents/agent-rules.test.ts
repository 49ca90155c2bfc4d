import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAgentOptions, isBelow, reasoningShown, reasoningTokensMax, thresholdOf } from './confidence.ts'
import { schemaProblem } from './handoff.ts'
import { answerByRules, textToRemember } from './rules-agent.ts'
import { agentTools, toolSurface } from './tools.ts'

const ids = (tools: readonly { readonly id: string }[]) => tools.map(({ id }) => id)

test('the surface has the tools of the allowlist and no others', () => {
  assert.deepEqual(ids(toolSurface(['memory:search', 'mcp:x', 'memory:Search'], true)), ['memory:search'])
  assert.deepEqual(toolSurface([], true), [])
  assert.deepEqual(ids(toolSurface(ids(agentTools), true)), ids(agentTools))
})

test('without an allowlist only tools that read are there, and without memory no tool of memory', () => {
  assert.deepEqual(ids(toolSurface(undefined, true)), ['memory:search', 'memory:list', 'workspace:read'])
  assert.deepEqual(ids(toolSurface(undefined, false)), ['workspace:read'])
  assert.deepEqual(toolSurface(['memory:remember'], false), [])
  assert.deepEqual(toolSurface(['workspace:read'], false, true), [], 'the caller cannot read files')
})

test('the threshold of the run comes before that of the manifest, and that before the default of the protocol', () => {
  assert.equal(thresholdOf({ escalationThreshold: 0 }, 0.9), 0)
  assert.equal(thresholdOf({}, 0.9), 0.9)
  assert.equal(thresholdOf({}, undefined), 0.7)
})

test('only a confidence below the threshold asks a person', () => {
  assert.deepEqual(
    [0.69, 0.7, 0.71, undefined, Number.NaN].map((confidence) => isBelow(confidence, 0.7)),
    [true, false, false, false, false],
  )
})

test('options of agents are checked', () => {
  checkAgentOptions({ escalationThreshold: 1, reasoningVerbosity: 'full' })
  for (const wrong of [{ escalationThreshold: -0.1 }, { escalationThreshold: '1' }, { reasoningVerbosity: 'loud' }])
    assert.throws(() => checkAgentOptions(wrong), { code: 'validation_error' })
})

test('a reasoning is cut at its limit, and left out when it is off', () => {
  const long = '🦊'.repeat(reasoningTokensMax * 4 + 1)
  assert.equal([...reasoningShown(long, {}).reasoning].length, reasoningTokensMax * 4)
  assert.deepEqual(reasoningShown('x', { reasoningVerbosity: 'off' }), { verbosity: 'off', reasoning: '' })
})

test('a problem of a handoff names the field and no value', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } }
  assert.equal(schemaProblem(schema, { a: 1 }, 'task'), null)
  assert.equal(schemaProblem(undefined, 'anything', 'task'), null)
  assert.equal(schemaProblem(schema, { a: 'CANARY' }, 'task'), 'task.a must be of type number.')
  assert.equal(schemaProblem({ type: 'object' }, undefined, 'task') !== null, true, 'an absent task is no object')
})

test('what a task says to remember, in English and German', () => {
  assert.equal(textToRemember('Remember that Ada likes tea.'), 'Ada likes tea.')
  assert.equal(textToRemember('Please note: the door is green'), 'the door is green')
  assert.equal(textToRemember('Merk dir, dass Ada Tee mag.'), 'Ada Tee mag.')
  assert.equal(textToRemember('notiere: Milch kaufen'), 'Milch kaufen')
  for (const question of ['Do you remember Ada?', 'Notebooks are where?', 'remember'])
    assert.equal(textToRemember(question), null)
})

test('spaces, however many, are no text to remember, and the text keeps its own', () => {
  const spaces = ' '.repeat(100_000)
  for (const task of [`remember${spaces}`, `${spaces}remember`, `please${spaces}`, `note:${', '.repeat(50_000)}:`])
    assert.ok([null, ':'].includes(textToRemember(task)?.at(-1) ?? null), task.slice(0, 10))
  assert.equal(textToRemember(`Remember${spaces}tea`), 'tea')
  assert.equal(textToRemember('Remember that: one\n\ntwo  three '), 'one\n\ntwo  three')
})

const entries = [
  { id: 'a', content: 'Ben drinks coffee. Ben lives in Rome.' },
  { id: 'b', content: 'Ada lives in Lisbon. Ada prefers green tea.' },
]

test('the answer is the sentence with most of the words asked for, and the confidence their share', () => {
  const answer = { kind: 'answered', answer: 'Ada prefers green tea.', confidence: 1, source: 'b' }
  assert.deepEqual(answerByRules('Which green tea does Ada prefer?', entries), answer)
  assert.equal(answerByRules('Does Ada prefer tea or wine?', entries).confidence, 0.75)
})

test('of equal entries the better ranked one answers; without any, nothing was found', () => {
  const twins = [
    { id: 'x', content: 'Ada swims.' },
    { id: 'y', content: 'Ada swims.' },
  ]
  assert.equal(answerByRules('Does Ada swim?', twins).source, 'x')
  const none = { kind: 'nothing-found', answer: null, confidence: 0, source: null }
  assert.deepEqual(answerByRules('Who skis?', entries), none)
  assert.deepEqual(answerByRules('Who is it?', entries), none)
  assert.deepEqual(answerByRules('Who skis?', []), none)
})
