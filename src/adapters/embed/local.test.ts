import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cosineSimilarity, normaliseVector } from '../../core/search/vectors.ts'
import { createLocalEmbedder } from './local.ts'

test('the local model gives texts of similar meaning similar vectors, without a network', async () => {
  const embedder = createLocalEmbedder()
  try {
    const texts = ['I love my dog', 'My puppy is adorable', 'The stock market fell']
    const made = await embedder.embed(texts, AbortSignal.timeout(60_000))
    const [dog, puppy, market] = made.map(normaliseVector)
    assert.ok(dog && puppy && market)
    assert.equal(dog.length, 512)
    assert.ok(cosineSimilarity(dog, puppy) > cosineSimilarity(dog, market))
  } finally {
    await embedder.close()
  }
})
