import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeCursor, parseCursor } from './cursor.ts'

test('a cursor is parsed to what was encoded, and other values are refused', () => {
  const part = fc.nat({ max: 2 ** 31 - 1 })
  fc.assert(
    fc.property(part, part, part, (position, createdPosition, ordinal) => {
      const cursor = { position, createdPosition, ordinal }
      assert.deepEqual(parseCursor(encodeCursor(cursor)), cursor)
    }),
  )
  fc.assert(
    fc.property(fc.anything(), (value) => {
      if (typeof value === 'string' && /^\d+\.\d+\.\d+$/.test(value)) return
      assert.throws(() => parseCursor(value), { code: 'validation_error' })
    }),
  )
})
