import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markPhrase } from '../../console/src/screens/belief/phrase.ts'

const marked = (message: string, content: string) =>
  markPhrase(message, content).flatMap(({ text, isSource }) => (isSource ? [text] : []))

test('the phrase of a message that states a memory is marked: the whole content, or the longest shared words', () => {
  assert.deepEqual(marked('Hi! I prefer dark mode. Bye.', 'I prefer dark mode.'), ['I prefer dark mode'])
  assert.deepEqual(marked('Well, i moved to Lisbon last week', 'Ada moved to Lisbon.'), ['moved to Lisbon'])
  assert.deepEqual(marked('Nothing of that kind', 'Ada lives in Porto.'), [])
  assert.deepEqual(marked('to be or not', 'not to be'), [], 'a few common characters are no phrase')
  for (const message of ['İstanbul’da dark mode please', 'a'.repeat(60_000), '', '<b>dark mode</b> please'])
    assert.equal(
      markPhrase(message, 'dark mode please')
        .map(({ text }) => text)
        .join(''),
      message,
      'nothing of the message is lost',
    )
})
