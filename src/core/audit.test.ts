import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { contentDigest } from './audit.ts'
import { canonicalJson } from './canonical.ts'

test('the digest depends on the salt and on everything an entry says', () => {
  const base = {
    salt: '00ff',
    content: 'text',
    tags: ['a'],
    expiresAt: null,
    subject: null,
    origin: { kind: 'api' } as const,
  }
  const expected = createHash('sha256').update('00ff["text",["a"],null,null,{"kind":"api"}]').digest('hex')
  assert.equal(contentDigest(base), expected)
  const others = [
    { salt: '00fe' },
    { content: 'texu' },
    { tags: ['b'] },
    { tags: [] },
    { expiresAt: 1 },
    { subject: 'ada' },
    { origin: { kind: 'service', service: 'crm' } as const },
  ]
  for (const other of others) assert.notEqual(contentDigest({ ...base, ...other }), expected)
})

test('canonical JSON orders keys by UTF-16 units and refuses what has no form', () => {
  const value = { b: 1, a: [true, null, 'é'], '\u20ac': -0, '\r': 1e21 }
  assert.equal(canonicalJson(value), '{"\\r":1e+21,"a":[true,null,"é"],"b":1,"€":0}')
  assert.throws(() => canonicalJson({ a: Number.NaN }))
  assert.throws(() => canonicalJson('\ud800'))
})
