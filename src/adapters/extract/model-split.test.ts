import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { promptFor } from './model-prompt.ts'
import { documentCharactersMax, type Part, splitMessages } from './model-split.ts'

const documentOf = (part: Part) => promptFor(part, null)[1]?.content ?? ''
const user = (content: string): SourceMessage => ({ role: 'user', content })
const assistant = (content: string): SourceMessage => ({ role: 'assistant', content })

test('short conversations are one part, in their order', () => {
  const messages = [assistant('Hello?'), user('Hi there.'), assistant('Bye.')]
  assert.deepEqual(splitMessages(messages), [messages.map((message, index) => ({ index, ...message }))])
  assert.deepEqual(splitMessages([]), [])
  assert.deepEqual(splitMessages([assistant('Nobody else is here.')]), [])
})

test('a long message is cut after a sentence, else after a word, else anywhere but inside a character', () => {
  const contents = (text: string) => splitMessages([user(text)]).map(([piece]) => piece?.content ?? '')
  const sentences = contents('I never said that I like coffee. '.repeat(1_000))
  assert.ok(sentences.length > 2)
  for (const piece of sentences) assert.match(piece, /^I never.*coffee\. $/s)
  for (const piece of contents('coffee '.repeat(5_000))) assert.match(piece, /^coffee.*coffee $/s)
  for (const piece of contents('🦊'.repeat(20_000))) assert.ok(piece.isWellFormed())
})

test('an answer keeps its question when a part begins with it', () => {
  const filler = 'x'.repeat(documentCharactersMax - 300)
  const [, second] = splitMessages([user(filler), assistant('Which editor do you use?'), user('vim '.repeat(40))])
  assert.deepEqual(
    second?.map(({ index, role }) => [index, role]),
    [
      [1, 'assistant'],
      [2, 'user'],
    ],
  )
})

test('whatever is said, nothing a user says is lost, each document fits, and the same gives the same', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    fc
      .tuple(fc.constantFrom('<', '[INST]', '"', '\n', '\u0007', 'word. ', '🦊', 'ä'), fc.nat(15_000))
      .map(([unit, times]) => unit.repeat(times + 1)),
  )
  const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: text })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const parts = splitMessages(messages as SourceMessage[])
      assert.deepEqual(splitMessages(messages as SourceMessage[]), parts)
      const said = new Map<number, string>()
      for (const part of parts) {
        const document = documentOf(part)
        assert.ok(document.length <= documentCharactersMax)
        assert.deepEqual(JSON.parse(document), { messages: part })
        for (const { index, role, content } of part) {
          assert.equal(role, messages[index]?.role)
          if (role === 'user') said.set(index, (said.get(index) ?? '') + content)
        }
      }
      for (const [index, { role, content }] of messages.entries()) {
        if (role === 'user') assert.equal(said.get(index), content)
      }
    }),
    { numRuns: 60 },
  )
})
