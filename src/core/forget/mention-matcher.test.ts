import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mentionMatcher } from './mention-matcher.ts'

const named: readonly (readonly [string, string])[] = [
  ['ada', 'Ada prefers tea.'],
  ['ada', "That is ADA's"],
  ['ada', '(ada)'],
  ['ada', 'canada, then ada'],
  ['ada', 'mail ada@example.org'],
  ['user_42', 'asked by user_42.'],
  ['ada@example.org', 'write to <ada@example.org>'],
  ['josé', 'José came.'],
  ['ada', 'ａｄａ in wide letters'],
  ['王伟', '王伟喜欢茶'],
  ['-x-', 'a-x-b'],
]

const notNamed: readonly (readonly [string, string])[] = [
  ['ada', 'Canada'],
  ['ada', 'Adam'],
  ['ada', 'ada1'],
  ['user_4', 'user_42'],
  ['ada', ''],
  ['ada', 'armada and adaptation'],
  ['😀', 'nothing'],
]

test('a name matches as a separate word, in any case and Unicode form, and not as a part of another word', () => {
  for (const [name, text] of named) assert.equal(mentionMatcher(name)(text), true, `${name} in ${text}`)
  for (const [name, text] of notNamed) assert.equal(mentionMatcher(name)(text), false, `${name} in ${text}`)
})
