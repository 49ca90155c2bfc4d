import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidatesOf, type SearchRow } from './candidate.ts'
import { similarContexts } from './similarity.ts'

const row = (id: string, sessionId: string | null): SearchRow => {
  return { id, text: id, terms: [id], speaker: null, observedAt: 0, sessionId }
}
const candidates = candidatesOf([
  { rows: ['a1', 'a2', 'a3'].map((id) => row(id, 'a')), isFromBeginning: true },
  { rows: ['b1', 'b2'].map((id) => row(id, 'b')), isFromBeginning: true },
  { rows: [row('c', null)], isFromBeginning: false },
])

test('each candidate gets the similarity of its neighbours and of the best in its conversation', () => {
  const found = similarContexts(
    new Map([
      ['a1', 0.9],
      ['a2', 0.1],
      ['a3', 0.2],
      ['b1', 0.3],
      ['b2', 0.4],
    ]),
    candidates,
  )
  const of = (id: string) => found.get(id) ?? assert.fail(id)
  assert.equal(of('a2').session, of('a3').session)
  assert.ok(of('a3').session > of('b1').session, 'the best of the conversation counts, not the own similarity')
  assert.ok(of('a2').before > of('a3').before)
  assert.equal(of('a3').farBefore, 0, 'one candidate alone has no deviation')
  assert.ok(of('b1').after > of('a1').after)
  const mean = [...found.values()].reduce((sum, { before }) => sum + before, 0)
  assert.ok(Math.abs(mean) < 1e-9, 'z-scores')
})

test('what has no vector, no neighbour or no conversation gets the mean', () => {
  const found = similarContexts(new Map([['a1', 0.9]]), candidates)
  assert.deepEqual(found.get('c'), { session: 0, before: 0, farBefore: 0, after: 0 })
  for (const values of found.values()) for (const value of Object.values(values)) assert.ok(Number.isFinite(value))
})
