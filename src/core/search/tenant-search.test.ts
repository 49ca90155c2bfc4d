import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  beginningOf,
  encodeTenantSearchCursor,
  hasWords,
  justAfter,
  justBefore,
  parseTenantSearchCursor,
  wordsOfQuery,
} from './tenant-search.ts'

test('every word must occur in one of the texts, in any case and in parts', () => {
  const texts = ['Ada prefers TEA.', null, 'subject:ada']
  assert.equal(hasWords(wordsOfQuery('  tea PREF '), texts), true)
  assert.equal(hasWords(wordsOfQuery('tea coffee'), texts), false)
  assert.equal(hasWords(wordsOfQuery('ｔｅａ'), texts), true)
  assert.equal(hasWords([], []), true)
})

test('a scan from just before a prefix, or just after it, meets every name with the prefix', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (prefix, rest) => {
      const name = `${prefix}${rest}`
      assert.ok(justBefore(prefix) < name)
      assert.ok(name.includes('\uffff') || justAfter(prefix) > name)
    }),
    { numRuns: 200 },
  )
})

test('the beginning of a text never ends in half a character', () => {
  assert.deepEqual(beginningOf('tea', 3), { content: 'tea', isCut: false })
  assert.deepEqual(beginningOf('te🍵!', 3), { content: 'te', isCut: true })
})

test('a cursor is read back, whatever the id of the entry is; another text is refused', () => {
  const cursor = { position: 9, recordedPosition: 7, version: 2, entryId: 'a.b\n"c"' }
  assert.deepEqual(parseTenantSearchCursor(encodeTenantSearchCursor(cursor)), cursor)
  for (const wrong of ['', '1.2.3', '1.2.x.mem', '1.2.3.'])
    assert.throws(() => parseTenantSearchCursor(wrong), { code: 'validation_error' })
})
