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
  const gainOf = yield* createGain(clusters, covered)
  for (const onlyMarkers of [true, false]) {
    const queue = new GainQueue()
    for (const cluster of clusters) {
      yield
      if (!onlyMarkers || cluster.best.markers.length > 0) queue.add({ cluster, gain: gainOf(cluster) })
    }
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      yield
      if (onlyMarkers && !summary.isMissingMarkerOf(next.cluster.best)) continue
      const gain = gainOf(next.cluster)
      const best = queue.best
      // The gain has shrunk since it was computed: the cluster is queued again with the new one.
      if (gain < next.gain && best !== undefined && byGain({ ...next, gain }, best) > 0) {
        queue.add({ ...next, gain })
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

/** A binary heap: the cluster with the highest gain is taken first, and no step takes long, however many there are. */
class GainQueue {
  readonly #items: Queued[] = []

  get best(): Queued | undefined {
    return this.#items[0]
  }

  add(item: Queued): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >>> 1
      const above = items[parent]
      if (above === undefined || byGain(above, item) <= 0) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  take(): Queued | undefined {
    const items = this.#items
    const [best] = items
    const last = items.pop()
    if (last === undefined || items.length === 0) return best
    let at = 0
    for (;;) {
      const [left, right] = [items[2 * at + 1], items[2 * at + 2]]
      if (left === undefined) break
      const isRight = right !== undefined && byGain(right, left) < 0
      const below = isRight ? right : left
      if (byGain(last, below) <= 0) break
      items[at] = below
      at = 2 * at + (isRight ? 2 : 1)
    }
    items[at] = last
    return best
  }
}

const termsIn = ({ words, facts }: SourceSentence) => [...words, ...facts.map((fact) => `fact ${fact}`)]

/** The gain of a cluster: rare words count more than common ones, and repeated sentences more than single ones. */
function* createGain(clusters: readonly SentenceCluster[], covered: ReadonlySet<string>) {
  const frequency = yield* countWords(clusters.map(({ best }) => best))
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
