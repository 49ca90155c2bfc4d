import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inArgumentNames } from './argument-names.ts'

test('a sentence of the API names the argument of the tool', () => {
  const names = { 'messages[0].content': 'content', external_user_id: 'ref' }
  for (const [sentence, expected] of [
    ['expiresAt must lie in the future.', 'expires_at must lie in the future.'],
    ['entries[0].content must not be empty.', 'content must not be empty.'],
    ['entries[0].expiresAt must lie in the future.', 'expires_at must lie in the future.'],
    ['messages[0].content must not be empty.', 'content must not be empty.'],
    ['external_user_id must not be empty.', 'ref must not be empty.'],
    ['There is no such entry.', 'There is no such entry.'],
    ['constructor must be a string.', 'constructor must be a string.'],
  ] as const)
    assert.equal(inArgumentNames(sentence, names), expected)
  assert.equal(inArgumentNames('external_user_id must not be empty.'), 'subject must not be empty.')
})
