export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}

/** 0, 1, 2 … */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
