/** Of length 1, so that the product of two is their cosine; null when there is nothing to compare, such as all zeros. */
export function normalised(values: ArrayLike<number>): Float32Array | null {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += (values[at] ?? 0) ** 2
  const length = Math.sqrt(sum)
  if (!(length > 0) || !Number.isFinite(length)) return null
  return Float32Array.from(values, (value) => value / length)
}

/** The cosine of two vectors of length 1. */
export function similarityOf(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

/** Four bytes for each number, as they lie in memory. */
export function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

export function fromBytes(bytes: Uint8Array): Float32Array {
  // What a database gives may begin anywhere in a larger piece of memory.
  const { buffer, byteOffset, byteLength } = byteOf(bytes)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

function byteOf(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
}
