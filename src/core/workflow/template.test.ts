import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isColophonError } from '../errors.ts'
import type { PortValue, WorkflowNode } from './definition.ts'
import { containsErased, erasedValue, showErased } from './erased-value.ts'
import { type RunValues, resolveInputs, resolveTemplates } from './template.ts'

const scope: RunValues = {
  inputs: { user: 'ada', odd: null },
  variables: { list: [{ id: 'e1' }, 2], flag: false, text: '{{inputs.user}}' },
  outputs: { first: { result: { score: 0.5 } } },
}

function resolvesTo(value: unknown, expected: unknown): void {
  assert.deepEqual(resolveTemplates(value, scope), expected)
}

test('a string that is one template becomes the value with its type', () => {
  resolvesTo('{{variables.list}}', [{ id: 'e1' }, 2])
  resolvesTo('{{ variables.list.0.id }}', 'e1')
  resolvesTo('{{variables.flag}}', false)
  resolvesTo('{{inputs.odd}}', null)
  resolvesTo('{{outputs.first.result.score}}', 0.5)
})

test('templates in other strings are inserted as text at any depth, and other values stay', () => {
  resolvesTo('Hi {{inputs.user}}, {{variables.list.0}}{{variables.flag}}', 'Hi ada, {"id":"e1"}false')
  resolvesTo(
    { a: [{ b: '{{inputs.user}}!' }, 1, null], '{{inputs.user}}': true },
    {
      a: [{ b: 'ada!' }, 1, null],
      '{{inputs.user}}': true,
    },
  )
  resolvesTo('{{ not closed, {single}, }}', '{{ not closed, {single}, }}')
})

test('a resolved value is not resolved again', () => {
  resolvesTo('{{variables.text}}', '{{inputs.user}}')
  resolvesTo('<{{variables.text}}>', '<{{inputs.user}}>')
})

test('a path without a value is an error, which repeats only plain words', () => {
  assert.throws(() => resolveTemplates('{{variables.none}}', scope), {
    code: 'template_unresolved',
    details: { path: 'variables.none' },
  })
  for (const path of [
    '',
    'user',
    'inputs',
    'inputs.',
    'inputs..user',
    'inputs.sk-hunter2',
    'process.env',
    '\u0007',
    'variables.list.01',
    'variables.list.length',
    'variables.list.-1',
    'inputs.user.length',
  ]) {
    assert.throws(
      () => resolveTemplates(`x {{${path}}}`, scope),
      (error) => isColophonError(error, 'template_unresolved') && !error.message.includes('hunter2'),
      path,
    )
  }
})

test('no path reaches a prototype', () => {
  const words = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'length',
    'hasOwnProperty',
    '0',
    'list',
    'user',
    'first',
    'result',
  )
  const roots = fc.constantFrom('inputs', 'variables', 'outputs', '__proto__', 'constructor')
  const own = new Set(['ada', '{{inputs.user}}', 'e1'])
  fc.assert(
    fc.property(roots, fc.array(words, { minLength: 1, maxLength: 4 }), (root, members) => {
      let value: unknown
      try {
        value = resolveTemplates(`{{${[root, ...members].join('.')}}}`, scope)
      } catch (error) {
        assert.ok(isColophonError(error, 'template_unresolved'))
        return
      }
      assert.notEqual(typeof value, 'function')
      assert.notEqual(value, Object.prototype)
      assert.ok(typeof value !== 'string' || own.has(value))
    }),
  )
  const hostile = resolveTemplates(JSON.parse('{"__proto__": {"isAdmin": "{{inputs.user}}"}}'), scope)
  assert.equal((hostile as { isAdmin?: unknown }).isAdmin, undefined)
})

test('the size of the result is checked before it is built', () => {
  const big = { ...scope, variables: { big: 'x'.repeat(100_000) } }
  for (const value of ['{{variables.big}}'.repeat(50_000), Array(50_000).fill('{{variables.big}}')]) {
    assert.throws(() => resolveTemplates(value, big), {
      code: 'validation_error',
      details: { field: 'template', limit: 'resolvedBytesMax', max: 1_048_576 },
    })
  }
})

test('values that are nested too deeply are refused', () => {
  let deep: unknown = 1
  for (let level = 0; level < 200_000; level++) deep = [deep]
  assert.throws(() => resolveTemplates(deep, scope), { code: 'validation_error' })
  assert.throws(() => resolveTemplates('{{variables.deep}}', { ...scope, variables: { deep } }), {
    code: 'validation_error',
  })
})

function nodeWith(inputs: Readonly<Record<string, PortValue>>): WorkflowNode {
  return { id: 'n', typeId: 'core.noop', name: 'n', position: { x: 0, y: 0 }, config: {}, inputs }
}

test('ports read static values, variables and outputs', () => {
  const node = nodeWith({
    fixed: { type: 'static', value: '{{inputs.user}}' },
    flag: { type: 'variable', variableName: 'flag' },
    result: { type: 'connection', nodeId: 'first', outputKey: 'result' },
    none: { type: 'variable', variableName: 'toString', optional: true },
    skipped: { type: 'connection', nodeId: 'second', outputKey: 'x', optional: true },
  })
  assert.deepEqual(resolveInputs(node, scope), { fixed: '{{inputs.user}}', flag: false, result: { score: 0.5 } })
})

test('a required port without a value is an error', () => {
  for (const port of [
    { type: 'variable', variableName: 'none' },
    { type: 'variable', variableName: 'constructor' },
    { type: 'connection', nodeId: 'first', outputKey: 'none' },
    { type: 'connection', nodeId: '__proto__', outputKey: 'toString', optional: false },
  ] as const) {
    assert.throws(() => resolveInputs(nodeWith({ port }), scope), {
      code: 'template_unresolved',
      details: { field: 'inputs.port' },
    })
  }
})

test('a text with an erased value is erased as a whole, and so are the members of an erased value', () => {
  const erased: RunValues = { ...scope, inputs: { user: erasedValue, nested: { a: [erasedValue] } } }
  for (const text of ['{{inputs.user}}', 'subject:{{inputs.user}}', '{{inputs.user.name}}', 'x {{inputs.nested}}'])
    assert.deepEqual(resolveTemplates(text, erased), erasedValue, text)
  assert.deepEqual(resolveTemplates(['a', 'b{{inputs.user}}'], erased), ['a', erasedValue])
  const port: PortValue = { type: 'connection', nodeId: 'first', outputKey: 'result' }
  const node = { inputs: { in: port } } as unknown as WorkflowNode
  assert.deepEqual(resolveInputs(node, { ...erased, outputs: { first: { result: erasedValue } } }), { in: erasedValue })
})

test('erased values are found at any depth, and clients see null', () => {
  let deep: unknown = erasedValue
  for (let level = 0; level < 20_000; level++) deep = [deep]
  assert.equal(containsErased(deep), true)
  assert.equal(containsErased({ a: [{ '$colophon.erased': true, more: 1 }] }), false)
  assert.deepEqual(showErased({ a: [erasedValue, 1], b: erasedValue }), { a: [null, 1], b: null })
})
