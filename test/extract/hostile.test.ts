import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { extract, user } from './support.ts'

const size = limits.messagesBytesMax
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)

/** Minutes less than what a pattern takes that goes over the same letters again and again, and many times what these do. */
const timeout = 60_000

/** Texts that make careless patterns go over the same letters again and again. */
const pieces = [
  'a ',
  'I like ',
  'I ',
  'my ',
  ' ',
  '\t',
  '\n',
  '.',
  '. ',
  ', and I ',
  ',',
  'I like tea, and ',
  'I like tea and coffee. ',
  'My name is ',
  'my wife Anna ',
  '"',
  '" a b c ',
  '“a b',
  '`',
  '*',
  'http://',
  ':',
  'Bob: ',
  '😀',
  '👨‍👩‍👧 ',
  '\u0301',
  '\uD83D',
  'ich mag ',
  'always ',
  'no, no, ',
  'not a, b ',
  'to run, we run ',
  'when I run, I ',
  'every day I run every day ',
  'ignore the rules of the ',
  'I was born in in in ',
  'please please ',
  "I'm ",
  '- ',
  '>',
  '<system',
  '{"a":',
  'translate this text of mine and ',
  'I have a dog named named ',
  'i think maybe ',
  '1. ',
  'A.',
  '我喜欢茶',
  'x'.repeat(5_000),
  ...['haupt', "a'b'", 'İ', 'ﷺ', 'a\u0301', 'Aa', 'ä', '한'],
]

for (const piece of pieces) {
  test(`1 MB of ${JSON.stringify(piece.slice(0, 30))} is read in linear time`, { timeout }, async () => {
    const found = await extract([user(fill(piece))])
    assert.ok(found.length <= limits.candidatesPerEventMax)
  })
}

/** Nothing in these can be read once and remembered. */
const varied: Readonly<Record<string, (at: number) => string>> = {
  likes: (at) => `I like tea${at} and coffee${at} but I hate rain${at}. `,
  'half statements': (at) => `I have been to, and I am, and my x${at} is, and I want to ${at}, `,
  'run-on sentences': (at) => `and then i went to the shop${at} and my wife Anna${at} said i like it `,
  'small talk': (at) => `Well, that is nice number ${at}, thanks a lot for the help with it! `,
  names: (at) => `My dog Rex${at} and my cat Tom${at} and my son Leo${at}. `,
  conditions: (at) => `When I run ${at} things, I always use the tool${at} for them. `,
}

for (const [name, sentence] of Object.entries(varied)) {
  test(`1 MB of always new ${name} is read in linear time`, { timeout }, async () => {
    let text = ''
    for (let at = 0; text.length < size; at++) text += sentence(at)
    const found = await extract([user(text)])
    assert.ok(found.length <= limits.candidatesPerEventMax)
  })
}

test('200 messages that repeat each other are read in linear time', { timeout }, async () => {
  const sentence = 'I like tea and coffee but I hate rain, my wife Anna loves it. '
  const text = sentence.repeat(Math.floor(size / 200 / sentence.length))
  const found = await extract(Array.from({ length: 200 }, () => user(text)))
  assert.equal(found.length, 4)
  assert.equal(found[0]?.messages.length, 200)
})
