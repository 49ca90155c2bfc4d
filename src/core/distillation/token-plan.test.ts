import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { utf8Bytes } from '../check.ts'
import { summariseTexts } from '../compaction/extractive/summarise.ts'
import { isColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import { countTokens } from '../search/token-budget.ts'
import { checkTokenBudget, effectiveBudget, TokenPlan } from './token-plan.ts'

function planOf(texts: readonly string[]): TokenPlan {
  const plan = new TokenPlan()
  for (const text of texts) plan.add(text)
  return plan
}

function summarise(texts: readonly string[], bytesMax: number): string {
  const steps = summariseTexts(texts, bytesMax)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const words = fc.constantFrom(
  'Ada',
  'pays',
  '10 EUR',
  'häufig',
  '雨が降る。',
  'not',
  'today.',
  '[REDACTED:door]',
  'Bob',
  'tea!',
)
const texts = fc.array(
  fc.array(words, { minLength: 1, maxLength: 8 }).map((each) => each.join(' ')),
  {
    minLength: 1,
    maxLength: 8,
  },
)

test('with the smallest budget an archive fits exactly within it, and with one token less it is refused', () => {
  fc.assert(
    fc.property(texts, fc.nat(200), (sources, extra) => {
      const plan = planOf(sources)
      const budget = plan.minimumRequired + extra
      assert.throws(
        () => plan.check(plan.minimumRequired - 1),
        (error) => isColophonError(error, 'token_budget_exceeded'),
      )
      plan.check(budget)
      const archive = summarise(sources, plan.archiveBytesMax(budget))
      assert.notEqual(archive, '')
      for (const marker of plan.markers) assert.ok(archive.includes(marker))
      assert.ok(utf8Bytes(archive) <= limits.distillationArchiveBytesMax)
      assert.equal(
        plan.used(archive),
        16 + sources.reduce((sum, text) => sum + countTokens(text), 0) + countTokens(archive),
      )
      assert.ok(plan.used(archive) <= budget)
    }),
    { numRuns: 200 },
  )
})

test('a budget is at most the largest one, which is also the default; a budget of 1 is never enough', () => {
  assert.equal(effectiveBudget(undefined), limits.distillationTokenBudgetMax)
  assert.equal(effectiveBudget(Number.MAX_SAFE_INTEGER), limits.distillationTokenBudgetMax)
  assert.equal(effectiveBudget(17), 17)
  assert.throws(() => new TokenPlan().check(1))
  for (const value of [0, -1, 1.5, '8', Number.NaN, 2 ** 60])
    assert.throws(() => checkTokenBudget('tokenBudget', value))
})
