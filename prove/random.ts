import { createHash } from 'node:crypto'

/** A unique word. */
export function marker(seed: number, name: string): string {
  return createHash('sha256').update(`${seed} ${name}`).digest('hex').slice(0, 24)
}

export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}

/** 0, 1, 2 … */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
