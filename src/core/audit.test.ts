import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { contentDigest } from './audit.ts'
import { canonicalJson } from './canonical.ts'

test('the digest depends on salt, content and tags', () => {
  const base = { salt: '00ff', content: 'text', tags: ['a'] }
  const expected = createHash('sha256').update('00ff["text",["a"]]').digest('hex')
  assert.equal(contentDigest(base), expected)
  for (const other of [{ salt: '00fe' }, { content: 'texu' }, { tags: ['b'] }, { tags: [] }]) {
    assert.notEqual(contentDigest({ ...base, ...other }), expected)
  }
})

test('canonical JSON orders keys by UTF-16 units and refuses what has no form', () => {
  assert.equal(
    canonicalJson({ b: 1, a: [true, null, 'é'], '\u20ac': -0, '\r': 1e21 }),
    '{"\\r":1e+21,"a":[true,null,"é"],"b":1,"€":0}',
  )
  assert.throws(() => canonicalJson({ a: Number.NaN }))
  assert.throws(() => canonicalJson('\ud800'))
})
