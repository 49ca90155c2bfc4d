import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitListwise, type Sample } from '../../bench/recall/listwise.ts'
import { createRandom } from '../support/random.ts'

/** Questions of ten candidates: the one with the largest first value bears, the second value is noise. */
function samplesOf(count: number): Sample[] {
  const random = createRandom(27)
  return Array.from({ length: count }, () => {
    const rows = Array.from({ length: 10 }, () => Float64Array.of(random(), random(), 1))
    const best = Math.max(...rows.map((row) => row[0] as number))
    return { rows, bears: rows.map((row) => row[0] === best), start: rows.map(() => 0), share: 1 }
  })
}

test('a fit weighs the feature that decides, and neither noise nor a constant', () => {
  const [decides = 0, noise = 0, constant = 0] = fitListwise(samplesOf(200), 3, 1)
  assert.ok(decides > 5, `${decides}`)
  assert.ok(Math.abs(noise) < decides / 10, `${noise}`)
  assert.equal(constant, 0)
})

test('a strong penalty keeps the ranking that the fit starts from', () => {
  const [decides = 1] = fitListwise(samplesOf(200), 3, 1_000_000)
  assert.ok(Math.abs(decides) < 0.01, `${decides}`)
})
