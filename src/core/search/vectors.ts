/** The vector scaled to length 1, so that a dot product is a cosine; null for a vector without direction, such as all zeros. */
export function normaliseVector(values: ArrayLike<number>): Float32Array | null {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += (values[at] ?? 0) ** 2
  const length = Math.sqrt(sum)
  if (!(length > 0) || !Number.isFinite(length)) return null
  return Float32Array.from(values, (value) => value / length)
}

/** The cosine similarity of two vectors of length 1. */
export function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

/** The vector as stored bytes: four per number, in the byte order of the machine. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** The inverse of `vectorToBytes`. */
export function vectorFromBytes(bytes: Uint8Array): Float32Array {
  // Bytes from a database driver may be an unaligned view of a larger buffer.
  const { buffer, byteOffset, byteLength } = aligned(bytes)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
}
