import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { termsOf, wordsOf } from './words.ts'

test('texts and queries have the same terms for any case, accents and word forms', () => {
  assert.deepEqual(termsOf('Adopting'), termsOf('ADOPTED'))
  assert.deepEqual(termsOf('Café Zoë'), termsOf('cafe zoe'))
  assert.deepEqual(termsOf('her children went'), ['her', 'child', 'go'])
  assert.deepEqual(termsOf('two dogs'), termsOf('2 dogs'))
  assert.deepEqual(termsOf('10,000 steps'), ['10000', 'step'])
  assert.deepEqual(termsOf("Ana's and Ana’s"), ['ana', 'and', 'ana'])
  assert.deepEqual(termsOf("don't"), ['dont'])
  assert.deepEqual(termsOf('e-mail snake_case'), ['e', 'mail', 'snake', 'case'])
})

test('scripts without spaces give bigrams, and the last character alone', () => {
  assert.deepEqual(termsOf('黒猫が好き'), ['黒猫', '猫が', 'が好', '好き', 'き'])
  assert.deepEqual(termsOf('私のcat'), ['私の', 'の', 'cat'])
  assert.deepEqual(termsOf('Привет мир'), ['привет', 'мир'])
})

test('an emoji is a term, with any skin tone', () => {
  assert.deepEqual(termsOf('👍🏽 or 👍'), ['👍', 'or', '👍'])
  assert.deepEqual(termsOf('👩‍🚀!'), ['👩‍🚀'])
  assert.deepEqual(termsOf('❤️'), termsOf('❤️ '))
})

test('words have increasing offsets within the text, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      let last = 0
      for (const { start, end, term } of wordsOf(text)) {
        assert.ok(start >= last && end > start && end <= text.length && term !== '')
        last = start
      }
    }),
    { numRuns: 300 },
  )
})

test('the ASCII fast path gives the same terms as the general path', () => {
  const piece = fc.constantFrom(
    'Ada',
    "Ada's",
    'went',
    '1,234',
    '1,23',
    '12,345,678x',
    "o'clock",
    "'",
    ',',
    ' ',
    '-',
    "don't",
    'THE',
    '_',
    '9',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      assert.deepEqual(
        termsOf(text),
        wordsOf(text).map(({ term }) => term),
      )
    }),
    { numRuns: 1_000 },
  )
})
