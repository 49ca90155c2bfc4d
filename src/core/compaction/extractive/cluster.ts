import type { SentenceTerms } from './sentence-terms.ts'

/** A sentence of the sources with its terms. `order` is its index over all sources, oldest first. */
export type SourceSentence = SentenceTerms & { readonly text: string; readonly order: number }

/** Near-duplicate sentences: the most informative one, and how many there are. */
export type SentenceCluster = { readonly best: SourceSentence; readonly count: number }

/** Jaccard similarity of the words from which on two sentences are near-duplicates. */
const similarityMin = 0.8

/**
 * Groups near-duplicate sentences. Two sets with this similarity must share one of their rarest words, so only those pairs are
 * compared (prefix filtering); the result is the same as comparing all pairs.
 */
export function* clusterSentences(sentences: readonly SourceSentence[]): Generator<void, SentenceCluster[]> {
  const frequency = yield* countWords(sentences)
  const rarestFirst = (a: string, b: string) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : 1)
  const byWord = new Map<string, number[]>()
  const groups: SourceSentence[][] = []
  for (const sentence of sentences) {
    yield
    const words = sentence.words.toSorted(rarestFirst)
    const prefix = words.slice(0, words.length - Math.ceil(similarityMin * words.length) + 1)
    const candidates = new Set(prefix.flatMap((word) => byWord.get(word) ?? []))
    const group = [...candidates].find((index) => isNearDuplicate(groups[index]?.[0], sentence))
    if (group !== undefined) {
      groups[group]?.push(sentence)
      continue
    }
    for (const word of prefix) {
      const known = byWord.get(word)
      if (known) known.push(groups.length)
      else byWord.set(word, [groups.length])
    }
    groups.push([sentence])
  }
  return groups.map((group) => ({ best: group.reduce(moreInformative), count: group.length }))
}

function isNearDuplicate(a: SourceSentence | undefined, b: SourceSentence): boolean {
  if (a === undefined || a.distinction !== b.distinction) return false
  const inA = new Set(a.words)
  const shared = b.words.filter((word) => inA.has(word))
  if (shared.length < similarityMin * (a.words.length + b.words.length - shared.length)) return false
  // The order must agree: "Ada manages Bob" is not "Bob manages Ada".
  const inB = new Set(b.words)
  return a.words.filter((word) => inB.has(word)).every((word, index) => word === shared[index])
}

/** More facts, then more words, then the newer sentence. */
function moreInformative(a: SourceSentence, b: SourceSentence): SourceSentence {
  const gain = b.facts.length - a.facts.length || b.words.length - a.words.length || b.order - a.order
  return gain > 0 ? b : a
}

/** In how many sentences each word occurs. */
export function* countWords(sentences: Iterable<SourceSentence>): Generator<void, Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { words } of sentences) {
    yield
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}
