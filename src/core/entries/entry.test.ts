import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../limits.ts'
import { parseDraft } from './entry.ts'

test('a content is accepted up to exactly contentBytesMax bytes of UTF-8', () => {
  const around = fc.integer({ min: limits.contentBytesMax - 8, max: limits.contentBytesMax + 8 })
  const tail = fc.constantFrom('a', 'é', '€', '🦊')
  fc.assert(
    fc.property(around, tail, (bytes, character) => {
      const size = Buffer.byteLength(character)
      const content = character.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes % size)
      assert.equal(Buffer.byteLength(content), bytes)
      if (bytes <= limits.contentBytesMax) assert.equal(parseDraft({ content }).content, content)
      else assert.throws(() => parseDraft({ content }), { code: 'validation_error' })
    }),
  )
})

test('an instant without a time zone is refused, and milliseconds are kept', () => {
  const expiresAt = (text: string) => parseDraft({ content: 'x', expiresAt: text }).expiresAt
  assert.equal(expiresAt('2030-01-01T00:00:00.123Z'), Date.UTC(2030, 0, 1, 0, 0, 0, 123))
  assert.equal(expiresAt('2030-01-01T02:00:00+02:00'), Date.UTC(2030, 0, 1))
  assert.equal(expiresAt('2030-01-01T00:00Z'), Date.UTC(2030, 0, 1))
  for (const bad of ['2030-01-01', '2030-01-01T00:00:00', '1893456000000', 'Z', '2030-02-30T00:00:00+99:00']) {
    assert.throws(() => expiresAt(bad), { code: 'validation_error' })
  }
})
