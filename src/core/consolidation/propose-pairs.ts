import { limits } from '../limits.ts'
import type { ConsolidationItem } from './consolidation.ts'

/** Two entries of one group that the rules leave apart, and that a model may be asked about. */
export type ProposedPair = {
  readonly older: ConsolidationItem
  readonly newer: ConsolidationItem
  /** The share of all their words that both have. */
  readonly share: number
}

/** The share of words that two texts must have in common. With a common subject fewer words say that they are about the same. */
const shareMin = 0.5
const shareMinOfSubject = 0.3

/**
 * The pairs that share most words, the most alike first and then the newest; no more than `max`. Entries are compared only if they share a
 * word that few entries of their group have, so the time grows with the number of entries.
 */
export function* proposePairs(items: readonly ConsolidationItem[], max: number): Generator<void, ProposedPair[]> {
  const sorted = items.toSorted(byPlace)
  const byWord = new Map<string, ConsolidationItem[]>()
  let best: ProposedPair[] = []
  for (const newer of sorted) {
    yield
    const words = new Set(Array.from(newer.words))
    const seen = new Set<ConsolidationItem>()
    for (const word of words) {
      const key = `${newer.group}\u0000${word}`
      const having = byWord.get(key) ?? []
      // A word that many have says little. The newest of those that have it are looked at.
      for (const older of having) seen.add(older)
      byWord.set(key, [...having.slice(1 - limits.consolidationPairBlockMax), newer])
    }
    for (const older of seen) {
      const share = shareOf(words, new Set(Array.from(older.words)))
      const isAlike = share >= (newer.hasSubject ? shareMinOfSubject : shareMin)
      if (isAlike && older.exact !== newer.exact) best.push({ older, newer, share })
    }
    if (best.length > 4 * max) best = best.sort(bestFirst).slice(0, max)
  }
  return best.sort(bestFirst).slice(0, max)
}

function shareOf(a: ReadonlySet<string | number>, b: ReadonlySet<string | number>): number {
  let both = 0
  for (const word of a) if (b.has(word)) both += 1
  return both / (a.size + b.size - both)
}

function bestFirst(a: ProposedPair, b: ProposedPair): number {
  return b.share - a.share || byPlace(b.newer, a.newer) || byPlace(b.older, a.older)
}

function byPlace({ place: a }: ConsolidationItem, { place: b }: ConsolidationItem): number {
  return a.createdPosition - b.createdPosition || a.ordinal - b.ordinal
}
