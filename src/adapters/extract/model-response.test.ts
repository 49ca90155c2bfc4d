import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, says, startModelStandIn } from '../../../test/support/model-stand-in.ts'
import { limits } from '../../core/limits.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { createModelExtractor } from './model.ts'

const never = new AbortController().signal
const talk: readonly SourceMessage[] = [
  { role: 'assistant', content: 'Where do you live?' },
  { role: 'user', content: 'In Lisbon, next to the river.' },
]
const city = {
  content: 'Lives in Lisbon, next to the river.',
  category: 'fact',
  importance: 7,
  confidence: 0.95,
  claim_key: 'home.city',
  messages: [1],
}

/** The extraction from these responses, one for each call. */
async function extractFrom(...responses: readonly unknown[]) {
  await using standIn = await startModelStandIn(...responses.map((response) => says(response)))
  const extractor = createModelExtractor({ url: standIn.url, model: 'tiny-1', apiKey: null })
  const extraction = await extractor.extract(talk, never)
  return { ...extraction, calls: standIn.calls }
}

test('JSON is found in a code fence, in a sentence, after reasoning and as a bare list', async () => {
  const json = JSON.stringify({ memories: [city] }, null, 2)
  const ways = [
    json,
    `\`\`\`json\n${json}\n\`\`\``,
    `Here it is:\n\`\`\`\n${json}\n\`\`\`\nAnything else?`,
    `Sure! ${json} I hope this helps.`,
    `<think>The user {lives} in… </think>\n${json}`,
    JSON.stringify([city]),
    `<think>A list will do.</think> ${JSON.stringify([city])}`,
    `\`\`\`json\n${json}\n\`\`\`\nThe {braces} are JSON.`,
    JSON.stringify({ memories: [{ ...city, content: 'Writes </think> and ```json {} ``` a lot.' }] }),
  ]
  for (const way of ways) {
    const { candidates, calls } = await extractFrom(way)
    assert.equal(candidates.length, 1, way)
    assert.equal(candidates[0]?.claimKey, 'home.city')
    assert.equal(calls.length, 1)
  }
})

test('an unusable response is requested once more, with the problem and without the response', async () => {
  const secret = 'the model rambles about Lisbon'
  for (const [wrong, problem] of [
    [`No JSON, ${secret}`, /It was not JSON\./],
    [`{"memories": [{"content": "${secret}`, /It was not JSON\./],
    [{ items: [city] }, /It was not an object with the list "memories"\./],
    ['null', /It was not an object/],
    ['"text"', /It was not an object/],
    [null, /It had no text\./],
  ] as const) {
    const { candidates, usage, calls } = await extractFrom(wrong, { memories: [city] })
    assert.equal(candidates.length, 1)
    assert.deepEqual(usage, { inputTokens: 200, outputTokens: 40 })
    assert.equal(calls.length, 2)
    const [first, second] = calls
    assert.deepEqual(documentOf(second), documentOf(first))
    assert.match(second?.body.messages[0]?.content ?? '', problem)
    assert.doesNotMatch(second?.text ?? '', /rambles/)
    assert.equal(second?.body.messages.length, 2)
  }
})

test('after a truncated response the model is asked to be shorter', async () => {
  const cut = { choices: [{ message: { content: '{"memories": [{"con' }, finish_reason: 'length' }] }
  await using standIn = await startModelStandIn(
    (response) => {
      response.end(JSON.stringify(cut))
    },
    says({ memories: [city] }),
  )
  const extractor = createModelExtractor({ url: standIn.url, model: 'tiny-1', apiKey: null })
  assert.equal((await extractor.extract(talk, never)).candidates.length, 1)
  assert.match(standIn.calls[1]?.body.messages[0]?.content ?? '', /It was too long and was truncated/)
})

test('two unusable responses fail with extraction_failed, which quotes neither messages nor responses', async () => {
  await using standIn = await startModelStandIn(says('Ignore that: you live in Lisbon. {"a": Lisbon}'))
  const extractor = createModelExtractor({ url: standIn.url, model: 'tiny-1', apiKey: 'sk-stand-in-key' })
  await assert.rejects(extractor.extract(talk, never), (error: Error & { code: string; retryable: boolean }) => {
    assert.equal(error.code, 'extraction_failed')
    assert.equal(error.message, 'The model returned an unusable response twice. It was not JSON.')
    assert.equal(error.cause, undefined)
    assert.doesNotMatch(JSON.stringify(error) + error.stack, /Lisbon|sk-stand-in-key/)
    return true
  })
  assert.equal(standIn.calls.length, 2)
})

test('invalid items are dropped and counted, valid ones are kept', async () => {
  const wrong = [
    { category: 'secret' },
    { category: ['fact'] },
    { category: undefined },
    { content: 'Too short' },
    { content: `${' '.repeat(20)}short` },
    { content: 'x'.repeat(limits.candidateCharactersMax + 1) },
    { content: 'Half a pair: \ud83e of text' },
    { content: 'A text with \u0000 inside' },
    { content: { toString: 'Lives in Lisbon' } },
    { importance: 0 },
    { importance: 11 },
    { importance: '7' },
    { importance: null },
    { confidence: -0.01 },
    { confidence: 1.01 },
    { confidence: '0.9' },
    { confidence: undefined },
    { claim_key: 'home/../city' },
    { claim_key: 'home.' },
    { claim_key: 7 },
    { claim_key: `a${'.b'.repeat(limits.claimKeyCharactersMax / 2)}` },
    { messages: [] },
    { messages: undefined },
    { messages: [0] },
    { messages: [2] },
    { messages: [-1] },
    { messages: [1, 99] },
    { messages: ['1'] },
    { messages: [1.5] },
  ].map((part) => ({ ...city, ...part }))
  const strange = [null, 7, 'text', [city]]
  const { candidates, dropped, calls } = await extractFrom({ memories: [...wrong, city, ...strange] })
  assert.deepEqual(candidates, [
    {
      content: city.content,
      category: 'fact',
      importance: 7,
      confidence: 0.95,
      claimKey: 'home.city',
      messages: [1],
    },
  ])
  assert.equal(dropped, wrong.length + strange.length)
  assert.equal(calls.length, 1)
})

test('harmless differences in spelling are normalised', async () => {
  const spelled = [
    { content: '  Lives in Lisbon.  ' },
    { claim_key: ' Home.City ' },
    { claim_key: 'favourite drink' },
    { claim_key: '' },
    { claim_key: null },
    { importance: 6.5 },
    { messages: [1, 0, 1] },
    { content: 'x'.repeat(limits.candidateCharactersMin), importance: 1, confidence: 0 },
    { content: 'x'.repeat(limits.candidateCharactersMax), importance: 10, confidence: 1 },
  ].map((part) => ({ ...city, ...part }))
  const { candidates, dropped } = await extractFrom({ memories: spelled })
  assert.equal(dropped, 0)
  assert.equal(candidates[0]?.content, 'Lives in Lisbon.')
  assert.deepEqual(
    candidates.slice(1, 5).map(({ claimKey }) => claimKey),
    ['home.city', 'favourite_drink', null, null],
  )
  assert.equal(candidates[5]?.importance, 7)
  assert.deepEqual(candidates[6]?.messages, [1])
})

test('more candidates than an event may have are dropped and counted', async () => {
  const many = Array.from({ length: limits.candidatesPerEventMax + 5 }, () => city)
  const { candidates, dropped } = await extractFrom({ memories: many })
  assert.equal(candidates.length, limits.candidatesPerEventMax)
  assert.equal(dropped, 5)
})
