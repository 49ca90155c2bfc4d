import { createHash } from 'node:crypto'

/** A stream of numbers that a text decides: the same text gives the same stream, on every machine. */
export type Random = {
  /** A whole number from 0 to one less than this. */
  below(count: number): number
  pick<T>(from: readonly [T, ...T[]]): T
  shuffle<T>(list: readonly T[]): T[]
}

export function randomOf(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest()
  let state = digest.readUInt32LE(0)
  // mulberry32: small, well spread, and nobody's secret depends on it.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
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
