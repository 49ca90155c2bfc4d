import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countTokens, withinBudget } from './token-budget.ts'

const same = (text: string) => text
const tokens = (texts: readonly string[]) => texts.reduce((sum, text) => sum + countTokens(text), 0)

test('the selected items are whole and in order, fit the budget, and the next item would exceed it', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 20 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 80 }), (all, budget) => {
      const taken = withinBudget(all, same, budget)
      const possible = all.filter((text) => countTokens(text) <= budget)
      assert.deepEqual(taken, possible.slice(0, taken.length))
      assert.ok(tokens(taken) <= budget)
      const next = possible[taken.length]
      if (next !== undefined) assert.ok(tokens([...taken, next]) > budget)
    }),
    { numRuns: 200 },
  )
})

test('without a budget all items are selected', () => {
  assert.deepEqual(withinBudget(['a', 'b'], same), ['a', 'b'])
})
