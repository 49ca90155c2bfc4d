import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cosineSimilarity, normaliseVector, vectorFromBytes, vectorToBytes } from './vectors.ts'

test('vectors are normalised to length 1, and their dot product is the cosine', () => {
  const a = normaliseVector([3, 4])
  const b = normaliseVector([4, 3])
  assert.ok(a && b)
  assert.ok(Math.abs(cosineSimilarity(a, a) - 1) < 1e-6)
  assert.ok(Math.abs(cosineSimilarity(a, b) - 0.96) < 1e-6)
})

test('a vector without direction is null', () => {
  for (const values of [[], [0, 0], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 1]])
    assert.equal(normaliseVector(values), null)
})

test('a vector survives the conversion to bytes and back, also from an unaligned buffer', () => {
  const vector = Float32Array.of(0.25, -1.5, 3)
  const bytes = vectorToBytes(vector)
  assert.equal(bytes.length, 12)
  assert.deepEqual(vectorFromBytes(bytes), vector)
  const shifted = new Uint8Array(13)
  shifted.set(bytes, 1)
  assert.deepEqual(vectorFromBytes(shifted.subarray(1)), vector)
})
