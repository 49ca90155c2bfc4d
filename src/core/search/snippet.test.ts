import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from './query.ts'
import { snippetOf } from './snippet.ts'

test('a short text is shown as a whole, with the matched words highlighted', () => {
  const { text, highlights } = snippetOf(parseQuery('who bought apples'), 'Ana buys an apple.')
  assert.equal(text, 'Ana buys an apple.')
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['buys', 'apple'],
  )
})

test('of a long text the window with the most query terms is shown', () => {
  const long = `${'Nothing here at all. '.repeat(40)}The heron stood in the garden. ${'More of nothing. '.repeat(40)}`
  const { text, highlights } = snippetOf(parseQuery('heron garden'), long, 80)
  assert.ok(text.length <= 80 && text.startsWith('…') && text.endsWith('…'))
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['heron', 'garden'],
  )
})

test('highlights of overlapping bigrams are merged', () => {
  const { text, highlights } = snippetOf(parseQuery('黒猫が'), '私の黒猫が好き')
  assert.deepEqual(
    highlights.map(({ start, end }) => text.slice(start, end)),
    ['黒猫が'],
  )
})

test('highlights lie within the snippet, and no surrogate pair is split', () => {
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
