import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkIdentifier, checkJson, checkLookup, toInstant } from './check.ts'
import { isColophonError } from './errors.ts'
import { shownName } from './shown-name.ts'

const check = (value: unknown) => checkJson('field', value, 'someBytesMax', 100)
const isRefusal = (error: unknown) => isColophonError(error) && error.code === 'validation_error'

test('a value that JSON cannot represent is refused, and null is accepted', () => {
  const parsed = JSON.parse('{"deep":[{"number":1e400}]}')
  for (const value of [parsed, Number.NaN, [Number.NEGATIVE_INFINITY], undefined, 1n, '\u0000', ['\ud800']])
    assert.throws(() => check(value), isRefusal)
  for (const value of [null, { a: null, b: [null, 1e308, 'null'] }, 0]) check(value)
})

test('a deeply nested value and a long list are checked completely', () => {
  const nested = (levels: number, core: string) => JSON.parse(`${'['.repeat(levels)}${core}${']'.repeat(levels)}`)
  const isWritten = (levels: number) => {
    try {
      return JSON.stringify(nested(levels, 'null')) !== ''
    } catch {
      return false
    }
  }
  const large = (value: unknown) => checkJson('field', value, 'someBytesMax', 10_000_000)
  // Not to the very last level: the check is a few calls deeper than this.
  for (let levels = 1_000; isWritten(levels + 200); levels += 50) {
    large(nested(levels, 'null'))
    assert.throws(() => large(nested(levels, '1e400')), isRefusal)
  }
  large(Array.from({ length: 500_000 }, () => null))
})

test('a member name is shown only when it is a plain word', () => {
  for (const name of ['x', 'memoryRef', 'file_2', '_']) assert.equal(shownName(name), name)
  for (const name of ['', 'a b', 'tok_9f2c41', 'x'.repeat(41), 'a.b', '__proto__\n']) assert.equal(shownName(name), '*')
})

test('a new name with invisible or bidirectional characters is refused; a lookup by such a name is accepted', () => {
  const hidden = ['\u200b', '\u200d', '\u200e', '\u202e', '\u2066', '\ufeff', '\u00ad', '\u2028', '\u3164', '\u034f']
  for (const character of [...hidden, '\u{e0041}', 'x\ufe0f']) {
    const name = `ad${character}a`
    assert.throws(() => checkIdentifier('name', name, 'max', 10), isRefusal, JSON.stringify(name))
    checkLookup('name', name, 'max', 10)
  }
  for (const name of ['Ada Lovelace', 'zoë', 'e\u0301', '日本語', 'نام', 'שם', '🦊', '❤\ufe0f', 'a\u00a0b'])
    checkIdentifier('name', name, 'max', 20)
  const message = /name must not contain invisible or bidirectional control characters \(it has U\+202E\)/
  assert.throws(() => checkIdentifier('name', 'ad\u202ea', 'max', 10), message)
})

test('an instant has the text that Date gives it', () => {
  const edges = [0, -1, 1, 59_999, 60_000, -60_000, -62_198_755_200_000, 8.64e15, -8.64e15, 253_402_300_799_999]
  for (const ms of edges) assert.equal(toInstant(ms), new Date(ms).toISOString())
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (ms) => {
      assert.equal(toInstant(ms), new Date(ms).toISOString())
    }),
  )
  assert.throws(() => toInstant(Number.NaN), RangeError)
})
