import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { utf8Bytes } from '../../check.ts'
import { isColophonError } from '../../errors.ts'
import { summariseTexts } from './summarise.ts'

function summarise(texts: readonly string[], bytesMax = 10_000): string {
  const work = summariseTexts(texts, bytesMax)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

test('a repeated sentence appears once, at the position of its last occurrence', () => {
  const sources = ['Ada likes tea.', 'Bob lives in Porto.', 'ADA LIKES TEA!']
  assert.equal(summarise(sources), 'Bob lives in Porto.\nADA LIKES TEA!')
})

test('of near-duplicate sentences the most informative one is kept', () => {
  const sources = [
    'The quarterly review meeting with the finance team in Lisbon went well.',
    'The quarterly review meeting with the finance team in Lisbon went really well.',
  ]
  assert.equal(summarise(sources), sources[1])
})

for (const [why, a, b] of [
  [
    'a number',
    'Ada pays 10 EUR a month for the large office room',
    'Ada pays 20 EUR a month for the large office room',
  ],
  ['a unit', 'the rate of the loan is at 5% this year', 'the rate of the loan is at 5 this year'],
  ['a negation', 'Ada may enter the big server room alone', 'Ada may not enter the big server room alone'],
  ['a date', 'the audit of the plant begins on 2026-01-03', 'the audit of the plant begins on 2026-01-04'],
  ['the order of subject and object', 'Ada manages Bob', 'Bob manages Ada'],
  ['a marker', 'the key is [REDACTED:a] for sure now', 'the key is [REDACTED:A] for sure now'],
] as const) {
  test(`sentences that differ in ${why} are both kept`, () => {
    assert.equal(summarise([a, b]), `${a}\n${b}`)
  })
}

test('with a small budget the most informative sentences are kept', () => {
  const sources = ['Well, that was it.', 'Ada moved to Lisbon on 2026-03-01.', 'And so on and so on.']
  assert.equal(summarise(sources, 40), 'Ada moved to Lisbon on 2026-03-01.')
})

test('a marker whose sentence does not fit is kept alone', () => {
  const long = `The password of the old database is [REDACTED:db], ${'as everybody knew for many years '.repeat(5)}`
  assert.equal(summarise([long, 'Ada likes tea.'], 40), 'Ada likes tea.\n[REDACTED:db]')
})

test('markers that do not fit the budget are an error', () => {
  const markers = Array.from({ length: 10 }, (_, index) => `It was [REDACTED:secret-${index}].`)
  assert.throws(
    () => summarise(markers, 60),
    (error) => isColophonError(error, 'compaction_redaction_failed'),
  )
})

test('lists and long lines are split between sentences or words, abbreviations are not', () => {
  assert.equal(summarise(['- milk\n- eggs']), 'milk\neggs')
  assert.equal(summarise(['Dr. Lovelace paid 3.50 EUR. It rained.']), 'Dr. Lovelace paid 3.50 EUR.\nIt rained.')
  const line = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ')
  assert.equal(summarise([line]).replaceAll('\n', ' '), line)
})

const part = fc.oneof(
  fc.constantFrom(
    'Ada',
    'Bob',
    'likes',
    'never',
    'pays',
    'the',
    'tea.',
    'Done!',
    '- ',
    '\n',
    '1,000.50',
    '2026-01-03',
    '-5%',
    '12',
    'Ünïcödé。',
    '[REDACTED:a]',
    '[REDACTED:b-c.d]',
    '🦊',
    '.',
    '?',
    'a'.repeat(700),
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const texts = fc.array(
  fc.array(part, { maxLength: 30 }).map((parts) => parts.join(' ')),
  { maxLength: 12 },
)
const bytes = fc.integer({ min: 64, max: 600 })
const markersOf = (text: string) => new Set(text.match(/\[REDACTED:[^\]\s[]{1,200}\]/g) ?? [])
const spaced = (text: string) => text.replace(/\s+/g, ' ')
const figuresOf = (text: string) => text.split(/\s+/).filter((word) => /\d/.test(word))

test('a summary of any texts is within the budget, deterministic and verbatim', () => {
  fc.assert(
    fc.property(texts, bytes, (sources, bytesMax) => {
      const summary = summarise(sources, bytesMax)
      assert.ok(utf8Bytes(summary) <= bytesMax)
      assert.equal(summary, summarise(sources, bytesMax))
      const all = sources.join('\n')
      for (const marker of markersOf(all)) assert.ok(summary.includes(marker), 'every marker is kept')
      const words = new Set(all.split(/\s+/))
      for (const figure of figuresOf(summary)) assert.ok(words.has(figure), 'every number occurs in the sources')
      for (const line of summary.split('\n')) assert.ok(spaced(all).includes(spaced(line).trim()), 'word for word')
    }),
    { numRuns: 300 },
  )
})
