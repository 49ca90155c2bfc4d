import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ExtractedMemory } from '../../src/core/extract/extract.ts'
import { limits } from '../../src/core/limits.ts'
import { isCategory } from '../../src/core/provenance/category.ts'
import type { SourceMessage } from '../../src/core/provenance/source-event.ts'
import { checkClaimKey } from '../../src/core/provenance/source-messages.ts'
import { corpus } from './corpus/index.ts'
import { extract, user } from './support.ts'

const said = fc.constantFrom(...corpus.flatMap(({ messages }) => messages.map(({ content }) => content)))
const starts = fc.constantFrom(
  'I like ',
  'My name is ',
  'I live in ',
  'my wife ',
  'Always ',
  'I want to learn ',
  'Ich mag ',
  'not ',
  'I am ',
)
const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ maxLength: 200 }),
)
const text = fc.oneof(
  said,
  junk,
  fc.tuple(starts, junk).map(([start, rest]) => start + rest),
  fc.array(fc.oneof(said, junk), { maxLength: 4 }).map((parts) => parts.join(' ')),
)
const message: fc.Arbitrary<SourceMessage> = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: text,
})
const conversation = fc.array(message, { maxLength: 8 })

function checkLimits(
  { content, category, importance, confidence, claimKey, messages: from }: ExtractedMemory,
  messages: readonly SourceMessage[],
) {
  assert.ok(content.length >= limits.candidateCharactersMin && content.length <= limits.candidateCharactersMax, content)
  assert.ok(content.isWellFormed() && !/\p{Cc}/u.test(content), content)
  assert.ok(isCategory(category))
  assert.ok(Number.isInteger(importance) && importance >= 1 && importance <= 10)
  assert.ok(confidence >= 0 && confidence <= 1)
  if (claimKey !== null) checkClaimKey('claimKey', claimKey)
  assert.ok(claimKey === null || (claimKey.isWellFormed() && !claimKey.endsWith('.')), `${claimKey}`)
  assert.ok(from.length > 0 && from.every((index) => messages[index] !== undefined))
  assert.ok(from.some((index) => messages[index]?.role === 'user'))
  assert.ok(from.every((index) => messages[index]?.role !== 'system'))
  assert.deepEqual(
    from,
    [...new Set(from)].sort((a, b) => a - b),
  )
}

test('for any text, candidates stay within the limits', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, async (messages) => {
      const found = await extract(messages)
      assert.ok(found.length <= limits.candidatesPerEventMax)
      for (const candidate of found) checkLimits(candidate, messages)
    }),
    { numRuns: 1_500, examples: [[[{ role: 'user', content: 'I like \u3164' }]]] },
  )
})

test('equal messages give equal candidates', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, async (messages) => {
      assert.deepEqual(await extract(messages), await extract(structuredClone(messages)))
    }),
    { numRuns: 300 },
  )
})

test('a slot has one sure statement', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, async (messages) => {
      const sure = (await extract(messages)).filter(
        ({ confidence, claimKey }) => confidence >= 0.65 && claimKey !== null,
      )
      const slots = sure.map(({ category, claimKey }) => `${category} ${claimKey}`)
      assert.equal(new Set(slots).size, slots.length)
    }),
    { numRuns: 500 },
  )
})

const unrelated = [
  'I live in Bonn',
  'I like tea',
  'my wife Anna is here',
  "I'm allergic to nuts",
  'I use Vim',
  'hello',
  'I want to learn Thai',
  'Always deploy with make ship',
  'I speak Danish',
]

test('the order of unrelated messages does not matter', async () => {
  const withoutPlace = async (texts: readonly string[]) =>
    (await extract(texts.map(user))).map(({ messages: _, ...rest }) => JSON.stringify(rest)).sort()
  const expected = await withoutPlace(unrelated)
  assert.ok(expected.length >= 8)
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(unrelated, { minLength: unrelated.length }), async (shuffled) => {
      assert.deepEqual(await withoutPlace(shuffled), expected)
    }),
  )
})

test('messages of the assistant and the system give no candidates', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { maxLength: 5 }), async (texts) => {
      const silent = texts.map((content, at): SourceMessage => ({ role: at % 2 ? 'assistant' : 'system', content }))
      assert.deepEqual(await extract(silent), [])
    }),
    { numRuns: 200 },
  )
})
