import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidatesOf, type SearchRow } from '../../src/core/search/candidate.ts'
import { parseQuery } from '../../src/core/search/query.ts'
import { rank } from '../../src/core/search/rank.ts'
import { utteranceOf } from '../../src/core/search/speaker.ts'
import { corpusFacts, corpusQuestions, corpusSessions } from './corpus.ts'
import { meanOf, scoreOf } from './score.ts'

const sessions = corpusSessions()
const facts = corpusFacts()
const questions = corpusQuestions()
const reach = 4

function toRow(memory: { id: string; text: string }, date: string, sessionId: string | null): SearchRow {
  const observedAt = Date.parse(date)
  return { ...memory, ...utteranceOf({ content: memory.text, role: 'user' }), observedAt, sessionId }
}

/** The whole corpus as one scope; every row that has a looked up term is a find. */
function search(text: string, talks: readonly (readonly SearchRow[])[]): string[] {
  const query = parseQuery(text)
  const rows = talks.flat()
  const frequency = new Map(
    query.terms.map(({ stem }) => [stem, rows.filter(({ terms }) => terms.includes(stem)).length]),
  )
  const isFound = ({ terms }: SearchRow) => query.terms.some(({ stem }) => terms.includes(stem))
  const stretches = talks.flatMap((talk) =>
    talk.flatMap((row, at) => (isFound(row) ? [talk.slice(Math.max(0, at - reach), at + reach + 1)] : [])),
  )
  return rank(query, { entries: rows.length, frequency }, candidatesOf(stretches)).map(
    ({ candidate }) => candidate.row.id,
  )
}

function figures(talks: readonly (readonly SearchRow[])[]) {
  return meanOf(questions.map(({ text, evidence }) => scoreOf(evidence, search(text, talks))))
}

const alone = facts.map((fact) => [toRow(fact, '2024-01-01', null)])
const together = [
  ...sessions.map(({ id, date, memories }) => memories.map((memory) => toRow(memory, date, id))),
  ...alone,
]
const apart = together.flat().map((row) => [{ ...row, sessionId: null }])

test('the corpus is as large as it says, and every question has its evidence in it', () => {
  const ids = together.flat().map(({ id }) => id)
  assert.ok(ids.length >= 200 && questions.length >= 100)
  assert.equal(new Set(ids).size, ids.length)
  for (const { text, evidence } of questions)
    for (const id of evidence) assert.ok(ids.includes(id), `${text}: there is no ${id}`)
})

/** Floors: a little below what was measured when they were written. They may rise; a change that lowers one needs a reason. */
for (const [name, talks, floors] of [
  ['conversations', together, { 'recall@5': 0.95, 'recall@10': 0.95, 'nDCG@10': 0.85, MRR: 0.82 }],
  [
    'the same memories without their conversations',
    apart,
    { 'recall@5': 0.8, 'recall@10': 0.87, 'nDCG@10': 0.73, MRR: 0.7 },
  ],
] as const) {
  test(`questions find their answers: ${name}`, (t) => {
    const found = figures(talks)
    t.diagnostic(JSON.stringify(found))
    for (const [figure, floor] of Object.entries(floors))
      assert.ok((found[figure] ?? 0) >= floor, `${figure} is ${found[figure]}, below ${floor}`)
  })
}

test('searching is repeatable', () => {
  assert.deepEqual(search('Who taught Jonas to row?', together), search('Who taught Jonas to row?', together))
})
