import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkKnownKeys } from './check.ts'
import { describeUnknown } from './unknown-names.ts'

test('an unknown name is named with the known one that is most like it, or with all that are known', () => {
  const known = ['content', 'tags', 'expiresAt']
  assert.deepEqual(describeUnknown('member', ['contnt'], known), {
    text: 'has a member that is not known: contnt (did you mean content?)',
    details: { unknownKeys: 1, unknown: ['contnt'], nearest: ['content'] },
  })
  assert.equal(
    describeUnknown('parameter', ['colour', 'tag'], known).text,
    'has parameters that are not known: colour, tag (did you mean tags?); known are content, tags, expiresAt',
  )
  assert.equal(describeUnknown('parameter', ['x'], []).text, 'has a parameter that is not known: x; there are none')
  assert.throws(() => checkKnownKeys('options', { limt: 1 }, ['limit', 'cursor']), {
    code: 'validation_error',
    message: /options has a member that is not known: limt \(did you mean limit\?\)/,
  })
})

test('a name that may be a secret or forge a message is not shown, and many names stay a short message', () => {
  const hostile = ['ck_019a.acme.9f2c41aa', 'ada@example.com', 'a\nb', '\u202Econtent', 'content'.repeat(20)]
  for (const name of hostile) {
    const { text, details } = describeUnknown('member', [name], ['content'])
    assert.equal(text, 'has a member that is not known: *; known are content')
    assert.deepEqual(details, { unknownKeys: 1, unknown: ['*'] })
  }
  const many = Array.from({ length: 10_000 }, () => 'contents'.slice(0, 7))
  const known = Array.from({ length: 500 }, (_, nth) => `member_${nth}`)
  const { text, details } = describeUnknown('member', many, known)
  assert.ok(text.length < 1_000, text)
  assert.equal(details.unknownKeys, 10_000)
})
