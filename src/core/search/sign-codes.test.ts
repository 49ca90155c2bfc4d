import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../test/support/random.ts'
import { SignCodes } from './sign-codes.ts'
import { cosineSimilarity, normaliseVector } from './vectors.ts'

const random = createRandom(11)
const placeAt = (at: number) => ({ createdPosition: at, ordinal: at % 3, version: 1 })

/** Directions around some centres, as texts about the same things have. */
function createVectors(count: number, dimensions: number): Float32Array[] {
  const direction = () => Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const centres = Array.from({ length: 40 }, direction)
  return Array.from({ length: count }, (_, at) => {
    const centre = centres[at % centres.length] ?? direction()
    return normaliseVector(direction().map((number, nth) => number + (centre[nth] ?? 0))) ?? direction()
  })
}

test('the vectors with the best estimates include the nearest ones', () => {
  // Also a length that is no multiple of 32.
  for (const dimensions of [512, 100]) {
    const vectors = createVectors(3_000, dimensions)
    const codes = new SignCodes(dimensions, 16)
    vectors.forEach((vector, at) => {
      codes.add(placeAt(at), at, vector)
    })
    assert.equal(codes.count, vectors.length)
    let hits = 0
    for (const query of createVectors(20, dimensions)) {
      const nearest = vectors
        .map((vector, at) => ({ at, similarity: cosineSimilarity(query, vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 10)
      const best = new Set(
        codes
          .nearest(
            query,
            9_999,
          )(300)
          .map(({ createdPosition }) => createdPosition),
      )
      hits += nearest.filter(({ at }) => best.has(at)).length
    }
    assert.ok(hits >= 190, `${dimensions} dimensions: ${hits} of 200`)
  }
})

test('every vector up to the position comes once, the best estimate first', () => {
  const codes = new SignCodes(4)
  const vectors = [
    [1, 1, 1, 1],
    [-1, -1, -1, -1],
    [1, 1, -1, -1],
    [1, 1, 1, -1],
  ]
  vectors.forEach((vector, at) => {
    codes.add(placeAt(at), at, Float32Array.from(vector))
  })
  const query = Float32Array.of(0.5, 0.5, 0.5, 0.4)
  const next = codes.nearest(query, 9)
  assert.deepEqual(next(3), [placeAt(0), placeAt(3), placeAt(2)])
  assert.deepEqual(next(3), [placeAt(1)])
  assert.deepEqual(next(3), [])
  assert.deepEqual(codes.nearest(query, 2)(9), [placeAt(0), placeAt(2), placeAt(1)])
  assert.deepEqual(new SignCodes(4).nearest(query, 2)(9), [])
})

test('a search that has begun still finds its places when codes are removed and added', () => {
  const codes = new SignCodes(4, 2)
  for (const at of [0, 1, 2]) codes.add(placeAt(at), at, Float32Array.of(1, 1, at - 1, -1))
  const begun = codes.nearest(Float32Array.of(1, 1, 1, 1), 9)
  codes.remove([placeAt(2), { ...placeAt(1), version: 7 }])
  codes.add(placeAt(5), 5, Float32Array.of(1, 1, 1, 1))
  assert.deepEqual(begun(1), [placeAt(2)])
  const now = codes.nearest(Float32Array.of(1, 1, 1, 1), 9)
  assert.deepEqual(now(9), [placeAt(5), placeAt(0), placeAt(1)])
})
