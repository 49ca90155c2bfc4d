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

/** Words that are compared in one step: less than a millisecond. A long text has a thousand of them, and is compared with thousands of others. */
const wordsPerStep = 4_000

/**
 * The pairs that share most words, the most alike first and then the newest; no more than `max`. Entries are compared only if they share a
 * word that few entries of their group have, so the time grows with the number of entries.
 */
export function* proposePairs(items: readonly ConsolidationItem[], max: number): Generator<void, ProposedPair[]> {
  const sorted = items.toSorted(byPlace)
  const byGroup = new Map<string, Map<Word, Compared[]>>()
  let best: ProposedPair[] = []
  for (const item of sorted) {
    yield
    const words = new Set(Array.from(item.words))
    const newer = { item, words: [...words] }
    const byWord = byGroup.get(item.group) ?? new Map<Word, Compared[]>()
    byGroup.set(item.group, byWord)
    const shareLeast = item.hasSubject ? shareMinOfSubject : shareMin
    let compared = 0
    for (const older of addToBlocks(byWord, newer)) {
      compared += older.words.length
      if (compared > wordsPerStep) {
        compared = 0
        yield
      }
      const share = shareOf(words, older.words, shareLeast)
      if (share >= shareLeast && older.item.exact !== item.exact) best.push({ older: older.item, newer: item, share })
    }
    if (best.length > 4 * max) best = best.sort(bestFirst).slice(0, max)
  }
  return best.sort(bestFirst).slice(0, max)
}

type Word = string | number

/** An entry with its words, each once. */
type Compared = { readonly item: ConsolidationItem; readonly words: readonly Word[] }

/** Adds an entry to the block of each of its words, and gives the entries that were there. A word that many have says little, so a block has the newest. */
function addToBlocks(byWord: Map<Word, Compared[]>, newer: Compared): ReadonlySet<Compared> {
  const seen = new Set<Compared>()
  for (const word of newer.words) {
    const block = byWord.get(word)
    if (block === undefined) byWord.set(word, [newer])
    else {
      for (const older of block) seen.add(older)
      if (block.length === limits.consolidationPairBlockMax) block.shift()
      block.push(newer)
    }
  }
  return seen
}

/** The share of common words; 0 when the lengths alone say that it is below `least`. */
function shareOf(a: ReadonlySet<Word>, b: readonly Word[], least: number): number {
  if (Math.min(a.size, b.length) < least * Math.max(a.size, b.length)) return 0
  let both = 0
  for (const word of b) if (a.has(word)) both += 1
  return both / (a.size + b.length - both)
}

function bestFirst(a: ProposedPair, b: ProposedPair): number {
  return b.share - a.share || byPlace(b.newer, a.newer) || byPlace(b.older, a.older)
}

function byPlace({ place: a }: ConsolidationItem, { place: b }: ConsolidationItem): number {
  return a.createdPosition - b.createdPosition || a.ordinal - b.ordinal
}
