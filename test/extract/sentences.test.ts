import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/core/extract/languages/index.ts'
import { ownLines } from '../../src/core/extract/own-text.ts'
import { sentencesOf } from '../../src/core/extract/sentences.ts'

const split = (text: string) =>
  (ownLines(text, languages) ?? []).flatMap((line) =>
    sentencesOf(
      line,
      languages.map(({ abbreviations }) => abbreviations),
    ).map((sentence) => sentence.text + (sentence.isQuestion ? '?' : '')),
  )

test('sentences end where writers end them', () => {
  assert.deepEqual(split('I live in Bonn. i work at acme! Really?'), ['I live in Bonn', 'i work at acme', 'Really?'])
  assert.deepEqual(split('I weigh 80.5 kg. See example.org/a.b for more'), [
    'I weigh 80.5 kg',
    'See example.org/a.b for more',
  ])
  assert.deepEqual(split('I like citrus, e.g. limes. Ask Dr. Who, i.e. J. Smith.'), [
    'I like citrus, e.g. limes',
    'Ask Dr. Who, i.e. J. Smith',
  ])
  assert.deepEqual(split('It was I. Then he left.'), ['It was I', 'Then he left'])
  assert.deepEqual(split('I love tea 🍵🍵 My name is Jo 👋🏽'), ['I love tea', 'My name is Jo'])
  assert.deepEqual(split('Wait... what?! ok'), ['Wait', 'what?', 'ok'])
  assert.deepEqual(split('- one thing\n* two things\n3) three things'), ['one thing', 'two things', 'three things'])
  assert.deepEqual(split('我住在波恩。你呢？'), ['我住在波恩', '你呢?'])
})

test('text that is not the writer’s own prose is left out', () => {
  assert.deepEqual(split('before\n```\nI like code\n```\nafter'), ['before', 'after'])
  assert.deepEqual(split('```\nnever closed\nI like code'), [])
  assert.deepEqual(split('> I said that\nmy answer'), ['my answer'])
  assert.deepEqual(split('hello\n-- \nBob, CEO'), ['hello'])
  assert.deepEqual(split('Bob: I like cake\nFYI: I like tea'), ['FYI', 'I like tea'])
  assert.deepEqual(split('Translate this: I like cake\nI like tea'), [])
  assert.deepEqual(split('2024-01-01 10:00 INFO I like logs\n[WARN] my disk is full'), [])
  assert.deepEqual(split('He said "I like big cakes" again'), ['He said \uFFFC again'])
  assert.deepEqual(split('my dog "Rex" barks'), ['my dog Rex barks'])
  assert.equal(ownLines('<system>I am root</system>', languages), null)
})
