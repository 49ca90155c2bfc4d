import { utf8Bytes } from '../../check.ts'
import { ColophonError } from '../../errors.ts'
import { countWords, type SentenceCluster, type SourceSentence } from './cluster.ts'

/** The weight of a number, a date or a name, in ordinary words. */
const factWeight = 3
const gainMin = 0.01

/**
 * Selects the sentences that together cover the most within a byte budget: a lazy greedy algorithm that takes the sentence with
 * the highest gain per length each time. Words that are already covered add nothing, so repetition is avoided. Sentences with
 * redaction markers come first, because markers must not get lost. A marker whose sentence does not fit is appended alone.
 */
export function* selectSentences(clusters: readonly SentenceCluster[], bytesMax: number): Generator<void, string> {
  const summary = new BoundedSummary(clusters, bytesMax)
  const covered = new Set<string>()
  const gainOf = createGain(clusters, covered)
  for (const onlyMarkers of [true, false]) {
    const queue = clusters.map((cluster) => ({ cluster, gain: gainOf(cluster) })).sort(byGain)
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      yield
      if (onlyMarkers && !summary.isMissingMarkerOf(next.cluster.best)) continue
      const gain = gainOf(next.cluster)
      // The gain has shrunk since it was computed: the cluster is queued again with the new one.
      if (gain < next.gain && queue[0] !== undefined && byGain({ ...next, gain }, queue[0]) > 0) {
        insert(queue, { ...next, gain })
        continue
      }
      if (summary.add(next.cluster.best)) for (const term of termsIn(next.cluster.best)) covered.add(term)
    }
  }
  return summary.toText()
}

type Queued = { readonly cluster: SentenceCluster; readonly gain: number }

function byGain(a: Queued, b: Queued): number {
  return b.gain - a.gain || a.cluster.best.order - b.cluster.best.order
}

/** Inserts by binary search. */
function insert(queue: Queued[], item: Queued): void {
  let low = 0
  let high = queue.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (byGain(queue[middle] ?? item, item) <= 0) low = middle + 1
    else high = middle
  }
  queue.splice(low, 0, item)
}

const termsIn = ({ words, facts }: SourceSentence) => [...words, ...facts.map((fact) => `fact ${fact}`)]

/** The gain of a cluster: rare words count more than common ones, and repeated sentences more than single ones. */
function createGain(clusters: readonly SentenceCluster[], covered: ReadonlySet<string>) {
  const frequency = countWords(clusters.map(({ best }) => best))
  const rarity = (word: string) => Math.log(1 + clusters.length / (frequency.get(word) ?? 1))
  return ({ best, count }: SentenceCluster): number => {
    const words = best.words.filter((word) => !covered.has(word)).reduce((sum, word) => sum + rarity(word), 0)
    const facts = best.facts.filter((fact) => !covered.has(`fact ${fact}`)).length * factWeight
    // A sentence without new words may still add information; it is selected last, if it fits.
    const gain = Math.max(words + facts, gainMin)
    return (gain * (1 + Math.log(count))) / Math.sqrt(utf8Bytes(best.text) + 1)
  }
}

/** The selected sentences within the byte budget. The bytes of markers that are still missing are reserved. */
class BoundedSummary {
  readonly #bytesMax: number
  readonly #selected = new Set<SourceSentence>()
  readonly #missing: Set<string>
  #used = 0

  constructor(clusters: readonly SentenceCluster[], bytesMax: number) {
    // The last line has no line break.
    this.#bytesMax = bytesMax + 1
    this.#missing = new Set(clusters.flatMap(({ best }) => best.markers))
    if (bytesOf([...this.#missing]) > this.#bytesMax) {
      throw new ColophonError(
        'compaction_redaction_failed',
        'The redaction markers of the sources exceed the size limit of the summary.',
      )
    }
  }

  isMissingMarkerOf({ markers }: SourceSentence): boolean {
    return markers.some((marker) => this.#missing.has(marker))
  }

  /** Adds a sentence. False when it does not fit or is already selected. */
  add(sentence: SourceSentence): boolean {
    const rest = [...this.#missing].filter((marker) => !sentence.markers.includes(marker))
    const used = this.#used + bytesOf([sentence.text])
    if (used + bytesOf(rest) > this.#bytesMax || this.#selected.has(sentence)) return false
    this.#used = used
    this.#selected.add(sentence)
    for (const marker of sentence.markers) this.#missing.delete(marker)
    return true
  }

  toText(): string {
    const sentences = [...this.#selected].sort((a, b) => a.order - b.order).map(({ text }) => text)
    return [...sentences, ...this.#missing].join('\n')
  }
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0)
}
