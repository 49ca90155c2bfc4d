import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../test/support/random.ts'
import { type FeatureName, weightedSum, weights } from './weights.ts'

test('the score of a memory is the sum of all its weighted features, in the order of the weights', () => {
  const random = createRandom(11)
  const names = Object.keys(weights) as FeatureName[]
  for (let round = 0; round < 100; round++) {
    const features = Object.fromEntries(names.map((name) => [name, random() * 10])) as Record<FeatureName, number>
    const before = random()
    assert.equal(
      weightedSum(features, before),
      names.reduce((sum, name) => sum + weights[name] * features[name], before),
    )
  }
})
