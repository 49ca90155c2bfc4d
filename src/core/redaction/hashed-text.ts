/**
 * A text with polynomial prefix hashes (Rabin–Karp): the hash of any substring costs one step. Equal hashes count as equal
 * texts.
 */
export type HashedText = { readonly text: string; hashOf(start: number, end: number): number }

/** A prime below 2^26, so that products of two remainders are exact. A false match has a probability of one in 67 million. */
const modulus = 67_108_859
const base = 31_415_927

export function hashText(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * base + text.charCodeAt(at) + 1) % modulus
  return hash
}

export function createHashedText(text: string): HashedText {
  const hashes = new Int32Array(text.length + 1)
  const powers = new Int32Array(text.length + 1)
  powers[0] = 1
  for (let at = 0; at < text.length; at++) {
    hashes[at + 1] = ((hashes[at] ?? 0) * base + text.charCodeAt(at) + 1) % modulus
    powers[at + 1] = ((powers[at] ?? 0) * base) % modulus
  }
  return {
    text,
    hashOf: (start, end) => {
      const before = ((hashes[start] ?? 0) * (powers[end - start] ?? 0)) % modulus
      return ((hashes[end] ?? 0) - before + modulus) % modulus
    },
  }
}
