import { createHash } from 'node:crypto'
import { createRandom } from '../test/support/random.ts'

/** Pseudo-random numbers from a text: the same text gives the same numbers, on every machine. */
export type Random = {
  /** A whole number from 0 to one less than this. */
  below(count: number): number
  pick<T>(from: readonly [T, ...T[]]): T
  shuffle<T>(list: readonly T[]): T[]
}

export function randomOf(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest()
  const next = createRandom(digest.readUInt32LE(0))
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    pick: (from) => from[below(from.length)] ?? from[0],
    shuffle(list) {
      const left = [...list]
      return list.flatMap(() => left.splice(below(left.length), 1))
    },
  }
}
