import { createHash } from 'node:crypto'

/** Numbers that look random and are the same for the same seed: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A word that is nowhere else. */
export function marker(seed: number, name: string): string {
  return createHash('sha256').update(`${seed} ${name}`).digest('hex').slice(0, 24)
}

export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}

/** 0, 1, 2 … */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
