import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOutOf } from './left-out.ts'

test('every match that is not shown has the first reason that applies', () => {
  const match = (id: string, relevance = 0.5) => ({ id, relevance })
  const left = leftOutOf({
    all: [match('hidden', 0.9), match('shown'), match('large'), match('weak', 0.1)],
    trusted: [match('shown'), match('large'), match('weak', 0.1)],
    relevant: [match('shown'), match('large')],
    shown: [match('shown')],
  })
  assert.deepEqual(left, [
    { id: 'large', reason: 'over_budget', relevance: 0.5 },
    { id: 'weak', reason: 'below_relevance', relevance: 0.1 },
    { id: 'hidden', reason: 'below_trust', relevance: 0.9 },
  ])
})
