import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { documentFrequency, selectCandidateRows } from './candidate-rows.ts'

const list = (...rows: number[]) => ({ rows, isCut: false })

test('rows with rarer and more terms come first, of equal ones the newer', () => {
  const postings = [list(9, 7, 5, 3, 1), list(8, 3), list(5)]
  const order = selectCandidateRows(postings, [5, 2, 1], { entries: 9, newest: 9 }, 10)
  assert.deepEqual(order, [5, 3, 8, 9, 7, 1])
  assert.deepEqual(selectCandidateRows(postings, [5, 2, 1], { entries: 9, newest: 9 }, 4), [5, 3, 8, 9])
  assert.deepEqual(selectCandidateRows([], [], { entries: 0, newest: 0 }, 4), [])
  assert.deepEqual(selectCandidateRows([list()], [0], { entries: 0, newest: 0 }, 4), [])
})

test('the document frequency of a truncated posting list is extrapolated', () => {
  assert.equal(documentFrequency({ rows: [100, 90, 81], isCut: true }, { entries: 200, newest: 100 }), 30)
  assert.equal(documentFrequency({ rows: [100, 90, 81], isCut: false }, { entries: 200, newest: 100 }), 3)
})

test('the selected rows are the best of all rows, for any posting lists', () => {
  const rows = fc.uniqueArray(
    fc.oneof(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 300_000 }),
      fc.integer({ min: 2 ** 33, max: 2 ** 33 + 9 }),
    ),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 5 }), fc.integer({ min: 1, max: 30 }), (lists, rowsMax) => {
      const postings = lists.map((each) => list(...each.sort((a, b) => b - a)))
      const frequencies = lists.map((each) => each.length)
      const entries = 500
      const scores = new Map<number, number>()
      for (const each of lists) {
        const idf = Math.log(1 + (entries - each.length + 0.5) / (each.length + 0.5))
        for (const row of each) scores.set(row, (scores.get(row) ?? 0) + idf)
      }
      const expected = [...scores].sort(([a, x], [b, y]) => y - x || b - a).map(([row]) => row)
      const found = selectCandidateRows(postings, frequencies, { entries, newest: 2 ** 34 }, rowsMax)
      assert.deepEqual(found, expected.slice(0, rowsMax))
    }),
    { numRuns: 200 },
  )
})
