import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ConversationSegment, candidatesOf, type SearchRow } from './candidate.ts'
import { parseQuery } from './query.ts'
import { explainScore, rank, rankInSteps } from './rank.ts'
import { utteranceOf } from './speaker.ts'

const day = 24 * 60 * 60 * 1_000

function rowsOf(lines: readonly string[], sessionId: string | null = 's1'): SearchRow[] {
  return lines.map((text, index) => ({
    id: `m${index}`,
    text,
    ...utteranceOf({ content: text, role: 'user' }),
    observedAt: Date.UTC(2024, 4, 6) + index,
    sessionId,
  }))
}

function statisticsOf(rows: readonly SearchRow[], text: string) {
  const frequency = new Map(
    parseQuery(text).terms.map(({ stem }) => [stem, rows.filter(({ terms }) => terms.includes(stem)).length]),
  )
  return { entries: rows.length, frequency }
}

/** A segment that was read with its neighbours: one with the first row starts the conversation. */
function segmentOf(rows: readonly SearchRow[]): ConversationSegment {
  return { rows, isFromBeginning: rows[0]?.id === 'm0' }
}

function order(
  text: string,
  rows: readonly SearchRow[],
  segments: readonly (readonly SearchRow[])[] = [rows],
): string[] {
  const ranked = rank(parseQuery(text), statisticsOf(rows, text), candidatesOf(segments.map(segmentOf)))
  return ranked.map(({ candidate }) => candidate.row.text)
}

test('ranking in steps reads the candidates one by one, twice, and ranks the same', () => {
  const rows = rowsOf(Array.from({ length: 60 }, (_, at) => `The garden ${at} has ${at % 7} herons.`))
  const query = parseQuery('herons garden 3')
  const asked = [query, statisticsOf(rows, 'herons garden 3'), candidatesOf([segmentOf(rows)])] as const
  const steps = rankInSteps(...asked)
  let taken = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) taken += 1
  assert.equal(taken, 2 * rows.length)
  const idsOf = (ranked: ReturnType<typeof rank>) => ranked.map(({ candidate, score }) => [candidate.row.id, score])
  assert.deepEqual(idsOf(step.value), idsOf(rank(...asked)))
})

test('rare terms weigh more than common ones', () => {
  const rows = rowsOf(['The garden is green.', 'The garden has a heron.', 'A garden again.', 'My garden.'], null)
  assert.equal(
    order(
      'heron garden',
      rows,
      rows.map((row) => [row]),
    )[0],
    'The garden has a heron.',
  )
})

test('of memories that stand alone, one that begins with a name of the query comes before one that has more of its words', () => {
  const apart = (rows: readonly SearchRow[]) => rows.map((row) => [row])
  const named = 'fastify: HTTP services use it.'
  const other = 'Errors are handled by callers of the data layer.'
  const texts = [other, named, 'Prefers dark mode.', 'Lives in Lisbon.']
  const rows = rowsOf(texts, null).map((row) => ({ ...row, speaker: null }))
  assert.equal(order('Should callers of the layer see errors of Fastify?', rows, apart(rows))[0], named)
  // Without a capital it is a word like others.
  assert.equal(order('should callers of the layer see errors of fastify?', rows, apart(rows))[0], other)
})

test('an answer ranks by the terms of the question before it', () => {
  const rows = rowsOf([
    'Ana: What is the name of your rabbit?',
    'Ben: Clover, she is two.',
    'Ana: Lovely!',
    'Ben: Bye.',
  ])
  assert.equal(order("What is the name of Ben's rabbit?", rows)[0], 'Ben: Clover, she is two.')
})

/** A message of so many words that no query has. */
const filler = (words: number) => Array.from({ length: words }, (_, at) => `filler${at}`).join(' ')
const longWith = (...words: string[]) => `${words.map((word) => `${filler(60)} ${word}`).join(' ')} ${filler(60)}`

test('what a long message says far from its neighbours does not count for them', () => {
  const rows = rowsOf(['Ana: Hello.', `Ben: ${longWith('rabbit', 'vet', 'March')}`, 'Ana: I see.', 'Ben: Fine.'])
  const alone = { ...rowsOf(['Ana: The vet was kind.'])[0], id: 'other', sessionId: 's2' } as SearchRow
  const found = order('When was the rabbit at the vet in March?', [...rows, alone], [rows, [alone]])
  assert.ok(found.indexOf('Ana: The vet was kind.') < found.indexOf('Ana: I see.'), found.join('\n'))
})

test('the end of a long message still counts for the one after it', () => {
  const rows = rowsOf([
    `Ana: ${filler(100)} What is the name of your rabbit?`,
    'Ben: Clover.',
    'Ana: Lovely!',
    'Ben: Bye.',
  ])
  const [, second] = order('What is the name of the rabbit?', rows)
  assert.equal(second, 'Ben: Clover.')
})

test('among several long messages, the one with the words in one passage is first, whatever the others say in all', () => {
  const scattered = Array.from({ length: 4 }, () => `Ben: ${longWith('rabbit', 'rabbit', 'vet', 'vet', 'garden')}`)
  const together = `Ben: ${filler(120)} our rabbit was at the vet beside the garden ${filler(120)}`
  const rows = rowsOf([...scattered.slice(0, 2), 'Ana: Yes?', together, 'Ana: Oh.', ...scattered.slice(2)])
  assert.equal(order('rabbit at the vet beside the garden', rows)[0], together)
})

test('a narrower related term matches, and ranks below the query term itself', () => {
  const rows = rowsOf(['The weather is fine.', 'We have a hamster.', 'We have a pet.'], null)
  assert.deepEqual(
    order(
      'Which pet is there?',
      rows,
      rows.map((row) => [row]),
    ).slice(0, 2),
    ['We have a pet.', 'We have a hamster.'],
  )
})

test('a message from the date that the query names ranks first', () => {
  const rows = rowsOf(['I went sailing.', 'I went sailing!'], null).map((row, at) => ({
    ...row,
    observedAt: Date.UTC(2024, 4, 6 + 40 * at),
  }))
  const segments = rows.map((row) => [row])
  assert.equal(order('Who went sailing on 6 May 2024?', rows, segments)[0], 'I went sailing.')
  assert.equal(order('Who went sailing in June 2024?', rows, segments)[0], 'I went sailing!')
})

test('of two named speakers, the one that is not possessive is the subject', () => {
  const rows = rowsOf(['Ana: I praise the garden.', 'Ben: I praise the garden.'], null)
  const segments = rows.map((row) => [row])
  assert.equal(order("What does Ben say about Ana's garden?", rows, segments)[0], 'Ben: I praise the garden.')
  assert.equal(order("What does Ana say about Ben's garden?", rows, segments)[0], 'Ana: I praise the garden.')
})

test('messages of the named speaker rank first', () => {
  const rows = rowsOf(['Ana: I love sailing.', 'Ben: I love sailing.'], null)
  assert.equal(
    order(
      'Does Ben love sailing?',
      rows,
      rows.map((row) => [row]),
    )[0],
    'Ben: I love sailing.',
  )
})

test('a handle is a name, its number alone is not, and a name in a script without capitals counts as a whole', () => {
  const rows = rowsOf(
    [
      'bob_7: I went to Oslo.',
      'ana_92: I went to Oslo.',
      'bob_7: Fine.',
      '田中：私はオスロに行った',
      '中村：私はオスロに行った',
    ],
    null,
  )
  const apart = rows.map((row) => [row])
  assert.equal(order('Where did ana_92 go to, Oslo?', rows, apart)[0], 'ana_92: I went to Oslo.')
  assert.equal(order('田中 オスロ', rows, apart)[0], '田中：私はオスロに行った')
  assert.equal(order('中村 オスロ', rows, apart)[0], '中村：私はオスロに行った')
})

test('a score is the sum of its parts, and its explanation lists the matched terms', () => {
  const rows = rowsOf(['Ana: I went to Oslo in May.', 'Ben: How was Oslo?', 'Ana: Cold.'])
  const text = 'When was Ana in Oslo?'
  const ranked = rank(parseQuery(text), statisticsOf(rows, text), candidatesOf([segmentOf(rows)]))
  const explained = ranked.map((scored) => explainScore(parseQuery(text), scored))
  for (const { score, parts } of explained)
    assert.ok(Math.abs(score - Object.values(parts).reduce((sum, part) => sum + part, 0)) < 1e-9)
  assert.deepEqual(explained[0]?.matched, ['ana', 'oslo'])
})

test('a row is an opening only when it is known to start its conversation', () => {
  const rows = rowsOf(['tea', 'tea', 'tea', 'tea', 'tea', 'tea', 'tea'])
  const openings = (...segments: readonly ConversationSegment[]) =>
    rank(parseQuery('tea'), statisticsOf(rows, 'tea'), candidatesOf(segments))
      .filter(({ features }) => features.opening > 0)
      .map(({ candidate }) => candidate.row.id)
      .sort()
  assert.deepEqual(openings({ rows, isFromBeginning: true }), ['m0', 'm1'])
  // The middle row matched and was read with its neighbours. The first of these matched too, without its neighbours.
  const middle = { rows: rows.slice(1, 6), isFromBeginning: false }
  const found = { rows: rows.slice(1, 2), isFromBeginning: false }
  assert.deepEqual(openings(middle, found), [])
  assert.deepEqual(openings(middle, { rows: rows.slice(0, 3), isFromBeginning: true }), ['m0', 'm1'])
  assert.deepEqual(openings({ rows: rows.slice(0, 1), isFromBeginning: true }), [], 'nothing follows')
})

test('newer memories rank first among equals only with the recency option', () => {
  const old = { ...rowsOf(['I like tea.'], null)[0], id: 'old', observedAt: 0 } as SearchRow
  const tea = { ...rowsOf(['I like tea.'], null)[0], id: 'new', observedAt: 300 * day } as SearchRow
  const best = { ...rowsOf(['I like green tea.'], null)[0], id: 'best', observedAt: 0 } as SearchRow
  const rows = [old, tea, best]
  const candidates = candidatesOf(rows.map((row) => segmentOf([row])))
  const ids = (recency?: { now: number; halfLifeMs: number }) =>
    rank(parseQuery('green tea'), statisticsOf(rows, 'green tea'), candidates, recency ? { recency } : {}).map(
      ({ candidate }) => candidate.row.id,
    )
  assert.deepEqual(ids(), ['best', 'new', 'old'])
  assert.deepEqual(ids({ now: 300 * day, halfLifeMs: 30 * day }).slice(1), ['new', 'old'])
})

test('the ranking does not depend on the order of the candidates', () => {
  const rows = rowsOf(['Ana: tea?', 'Ben: coffee', 'Ana: tea', 'Ben: tea and coffee', 'Ana: water', 'Ben: tea'])
  const segments = rows.map((_, at) => rows.slice(Math.max(0, at - 2), at + 3))
  const expected = order('tea with Ben', rows, segments)
  fc.assert(
    fc.property(fc.shuffledSubarray(segments, { minLength: segments.length }), (shuffled) => {
      assert.deepEqual(order('tea with Ben', rows, shuffled), expected)
    }),
    { numRuns: 50 },
  )
})

test('a query without terms ranks by time alone', () => {
  const rows = rowsOf(['one', 'two'], null)
  assert.equal(
    order(
      '?',
      rows,
      rows.map((row) => [row]),
    ).length,
    2,
  )
})

test('vector similarity ranks equals, and without similarities nothing changes', () => {
  const rows = rowsOf(['I like tea.', 'I like tea!'], null)
  const candidates = candidatesOf(rows.map((row) => segmentOf([row])))
  const ids = (similarities?: ReadonlyMap<string, number>) =>
    rank(parseQuery('tea'), statisticsOf(rows, 'tea'), candidates, similarities ? { similarities } : {}).map(
      ({ candidate }) => candidate.row.id,
    )
  assert.deepEqual(ids(), ['m1', 'm0'])
  assert.deepEqual(
    ids(
      new Map([
        ['m0', 0.9],
        ['m1', 0.1],
      ]),
    ),
    ['m0', 'm1'],
  )
  assert.deepEqual(ids(new Map([['m0', 0.5]])), ['m1', 'm0'])
})
