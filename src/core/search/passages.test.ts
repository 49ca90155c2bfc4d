import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { candidatesOf, type SearchRow } from './candidate.ts'
import { bestPassage, passageTerms } from './passages.ts'
import { parseQuery } from './query.ts'
import { rank } from './rank.ts'
import { termsOf } from './words.ts'

const filler = (count: number) => Array.from({ length: count }, (_, at) => `filler${at}`).join(' ')

function order(text: string, contents: readonly string[]): string[] {
  const rows = contents.map((content, at): SearchRow => {
    return { id: `m${at}`, text: content, terms: termsOf(content), speaker: null, observedAt: 0, sessionId: null }
  })
  const query = parseQuery(text)
  const frequency = new Map(
    query.terms.map(({ stem }) => [stem, rows.filter(({ terms }) => terms.includes(stem)).length]),
  )
  const segments = rows.map((row) => ({ rows: [row], isFromBeginning: false }))
  return rank(query, { entries: rows.length, frequency }, candidatesOf(segments)).map(
    ({ candidate }) => candidate.row.id,
  )
}

test('a long text ranks by its best passage, not by terms that are scattered over it', () => {
  const together = `${filler(200)} the heron nests near the lighthouse ${filler(200)}`
  const scattered = `${filler(10)} heron ${filler(200)} nests ${filler(200)} lighthouse heron lighthouse`
  assert.deepEqual(order('heron nests lighthouse', [scattered, together])[0], 'm1')
})

test('of two texts with the same passage, the shorter one ranks first', () => {
  const long = `the heron nests here ${filler(900)}`
  assert.deepEqual(order('heron nests', [long, 'the heron nests here'])[0], 'm1')
})

test('the best passage has the highest sum of distinct terms in so many places', () => {
  const match = fc.record({ place: fc.nat(300), term: fc.nat(3) })
  fc.assert(
    fc.property(fc.uniqueArray(match, { selector: ({ place }) => place, maxLength: 40 }), (matches) => {
      const idf = [1, 2.5, 0.5, 4]
      const inOrder = matches.sort((a, b) => a.place - b.place)
      const sums = inOrder.map(({ place: start }) => {
        const inside = inOrder.filter(({ place }) => place >= start && place < start + passageTerms)
        return [...new Set(inside.map(({ term }) => term))].reduce((sum, term) => sum + (idf[term] ?? 0), 0)
      })
      const { sum } = bestPassage(
        idf,
        inOrder.map(({ place }) => place),
        inOrder.map(({ term }) => term),
      )
      assert.ok(Math.abs(sum - Math.max(0, ...sums)) < 1e-6)
    }),
  )
})
