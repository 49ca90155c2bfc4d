import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { promptFor } from './model-prompt.ts'
import { documentCharactersMax, type ModelInput, splitMessages } from './split-messages.ts'

const documentOf = (part: ModelInput) => promptFor(part, null)[1]?.content ?? ''
const user = (content: string): SourceMessage => ({ role: 'user', content })
const assistant = (content: string): SourceMessage => ({ role: 'assistant', content })

test('a short conversation is one input, in order', () => {
  const messages = [assistant('Hello?'), user('Hi there.'), assistant('Bye.')]
  assert.deepEqual(splitMessages(messages), [messages.map((message, index) => ({ index, ...message }))])
  assert.deepEqual(splitMessages([]), [])
  assert.deepEqual(splitMessages([assistant('There is no user message.')]), [])
})

test('a long message is split after a sentence, else after a word, and never inside a character', () => {
  const contents = (text: string) => splitMessages([user(text)]).map(([piece]) => piece?.content ?? '')
  const sentences = contents('I never said that I like coffee. '.repeat(1_000))
  assert.ok(sentences.length > 2)
  for (const piece of sentences) assert.match(piece, /^I never.*coffee\. $/s)
  for (const piece of contents('coffee '.repeat(5_000))) assert.match(piece, /^coffee.*coffee $/s)
  for (const piece of contents('🦊'.repeat(20_000))) assert.ok(piece.isWellFormed())
})

test('an input that begins with an answer repeats the question before it', () => {
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

test('for any messages, splitting is deterministic, keeps all user text, and respects the size limit', () => {
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
      const userTexts = new Map<number, string>()
      for (const part of parts) {
        const document = documentOf(part)
        assert.ok(document.length <= documentCharactersMax)
        assert.deepEqual(JSON.parse(document), { messages: part })
        for (const { index, role, content } of part) {
          assert.equal(role, messages[index]?.role)
          if (role === 'user') userTexts.set(index, (userTexts.get(index) ?? '') + content)
        }
      }
      for (const [index, { role, content }] of messages.entries()) {
        if (role === 'user') assert.equal(userTexts.get(index), content)
      }
    }),
    { numRuns: 60 },
  )
})
