import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionOf } from './session.ts'
import { speakerOf, spokenText, utteranceOf } from './speaker.ts'

test('the speaker is the given name, else the name before a colon, else the role', () => {
  assert.equal(speakerOf({ content: 'Ana: hello', name: 'Ben', role: 'user' }), 'Ben')
  assert.equal(speakerOf({ content: 'Ana María: hello', role: 'user' }), 'Ana María')
  assert.equal(speakerOf({ content: 'Remember: the keys', role: 'user' }), 'Remember')
  assert.equal(speakerOf({ content: 'Note: buy milk', role: 'user' }), 'user')
  assert.equal(speakerOf({ content: 'at 5:30 we met', role: 'assistant' }), 'assistant')
  assert.equal(speakerOf({ content: 'hello' }), null)
})

test('handles and names in scripts without capitals are speakers, words and headings are not', () => {
  for (const [content, speaker] of [
    ['ana_92: hello', 'ana_92'],
    ['@maria.k: hello', '@maria.k'],
    ['bob2: hello', 'bob2'],
    ['田中：おはよう', '田中'],
    ['김민수: 안녕하세요', '김민수'],
  ] as const)
    assert.equal(speakerOf({ content, role: 'user' }), speaker)
  for (const content of [
    'remember: the keys',
    '注意：火',
    'http://a.example',
    '2024: a year',
    'see a_b',
    '黒猫が好きです',
  ])
    assert.equal(speakerOf({ content, role: 'user' }), 'user')
  // The speaker changes the ranking, never the terms that match.
  assert.deepEqual(utteranceOf({ content: 'ana_92: I dance' }).terms, ['ana', '92', 'i', 'danc'])
  assert.deepEqual(utteranceOf({ content: '田中：猫' }).terms, ['田中', '中', '猫'])
})

test('the speaker name is indexed once, like a word of the message; a role is not indexed', () => {
  assert.deepEqual(utteranceOf({ content: 'Ana: I dance', role: 'user' }).terms, ['ana', 'i', 'danc'])
  assert.deepEqual(utteranceOf({ content: 'I dance', name: 'Ana' }).terms, ['ana', 'i', 'danc'])
  assert.deepEqual(utteranceOf({ content: 'I dance', role: 'user' }).terms, ['i', 'danc'])
  assert.equal(spokenText('Ana: I dance', 'Ana'), 'I dance')
  assert.equal(spokenText('Ana: I dance', 'Ben'), 'Ana: I dance')
})

test('the conversation of a message is the session of its source, else its source event', () => {
  assert.equal(sessionOf({ scope: { session_id: 'a' }, sourceEventId: 'e' }), 'session:a')
  assert.equal(sessionOf({ scope: { session_id: ' ' }, sourceEventId: 'e' }), 'event:e')
  assert.equal(sessionOf({ scope: null, sourceEventId: null }), null)
})
