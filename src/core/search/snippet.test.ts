import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from './query.ts'
import { snippetOf } from './snippet.ts'

test('a short text is shown whole, with its words marked', () => {
  const { text, highlights } = snippetOf(parseQuery('who bought apples'), 'Ana buys an apple.')
  assert.equal(text, 'Ana buys an apple.')
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['buys', 'apple'],
  )
})

test('of a long text the part is shown that has most of what was asked', () => {
  const long = `${'Nothing here at all. '.repeat(40)}The heron stood in the garden. ${'More of nothing. '.repeat(40)}`
  const { text, highlights } = snippetOf(parseQuery('heron garden'), long, 80)
  assert.ok(text.length <= 80 && text.startsWith('…') && text.endsWith('…'))
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['heron', 'garden'],
  )
})

test('marks of pairs that overlap are one mark', () => {
  const { text, highlights } = snippetOf(parseQuery('黒猫が'), '私の黒猫が好き')
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['黒猫が'],
  )
})

test('marks stand in the text and no character is cut in two', () => {
  const unit = fc.constantFrom('heron ', 'garden ', 'x', '😀', ' ', '猫')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 120 }), fc.integer({ min: 10, max: 90 }), (units, max) => {
      const { text, highlights } = snippetOf(parseQuery('heron garden 猫'), units.join(''), max)
      assert.ok(text.length <= max && text.isWellFormed())
      for (const { start, end } of highlights) assert.ok(start >= 0 && end <= text.length && end > start)
    }),
    { numRuns: 300 },
  )
})
