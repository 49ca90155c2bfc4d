import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cosineSimilarity, normaliseVector } from '../../core/search/vectors.ts'
import { createLocalEmbedder, missingLocalPackages } from './local.ts'

for (const [name, length] of [
  ['local', 512],
  ['local-minilm', 384],
] as const)
  test(`the model of ${name} gives texts of similar meaning similar vectors, without a network`, async () => {
    assert.deepEqual(missingLocalPackages(name), [])
    const embedder = createLocalEmbedder(name)
    try {
      const texts = ['I love my dog', 'My puppy is adorable', 'The stock market fell']
      const made = await embedder.embed(texts, AbortSignal.timeout(60_000))
      const [dog, puppy, market] = made.map(normaliseVector)
      assert.ok(dog && puppy && market)
      assert.equal(dog.length, length)
      assert.ok(cosineSimilarity(dog, puppy) > cosineSimilarity(dog, market) + 0.1)
    } finally {
      await embedder.close()
    }
  })

test('the local models have different spaces', async () => {
  const embedders = [createLocalEmbedder('local'), createLocalEmbedder('local-minilm')]
  assert.equal(new Set(embedders.map(({ model }) => model)).size, 2)
  for (const embedder of embedders) await embedder.close()
})
