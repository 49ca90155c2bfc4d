import { utf8Bytes } from '../../check.ts'
import { ColophonError } from '../../errors.ts'
import { type Cluster, countWords, type Statement } from './cluster.ts'

/** A number, a date or a name weighs as much as this many ordinary words. */
const factWeight = 3
const gainMin = 0.01

/**
 * Takes the sentences that together tell the most within so many bytes: each time the one that adds most for its length.
 * What is told already adds nothing, so the second sentence about the same thing waits. Markers come first: that something
 * was taken out must not get lost, and those whose sentence has no room stand alone at the end.
 */
export function* chooseStatements(clusters: readonly Cluster[], bytesMax: number): Generator<void, string> {
  const room = new Room(clusters, bytesMax)
  const told = new Set<string>()
  const weigh = createScale(clusters, told)
  for (const isFirst of [true, false]) {
    const queue = clusters.map((cluster) => ({ cluster, worth: weigh(cluster) })).sort(byWorth)
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      yield
      if (isFirst && !room.isMissingMarkerOf(next.cluster.best)) continue
      const worth = weigh(next.cluster)
      // What it would add has shrunk since it was weighed: it goes back to its place.
      if (worth < next.worth && queue[0] !== undefined && byWorth({ ...next, worth }, queue[0]) > 0) {
        insert(queue, { ...next, worth })
        continue
      }
      if (room.take(next.cluster.best)) for (const term of termsIn(next.cluster.best)) told.add(term)
    }
  }
  return room.toText()
}

type Weighed = { readonly cluster: Cluster; readonly worth: number }

function byWorth(a: Weighed, b: Weighed): number {
  return b.worth - a.worth || a.cluster.best.order - b.cluster.best.order
}

function insert(queue: Weighed[], item: Weighed): void {
  let low = 0
  let high = queue.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (byWorth(queue[middle] ?? item, item) <= 0) low = middle + 1
    else high = middle
  }
  queue.splice(low, 0, item)
}

const termsIn = ({ words, facts }: Statement) => [...words, ...facts.map((fact) => `fact ${fact}`)]

/** Rare words tell more than common ones, and what was said often counts more than what was said once. */
function createScale(clusters: readonly Cluster[], told: ReadonlySet<string>) {
  const frequency = countWords(clusters.map(({ best }) => best))
  const rarity = (word: string) => Math.log(1 + clusters.length / (frequency.get(word) ?? 1))
  return ({ best, count }: Cluster): number => {
    const words = best.words.filter((word) => !told.has(word)).reduce((sum, word) => sum + rarity(word), 0)
    const facts = best.facts.filter((fact) => !told.has(`fact ${fact}`)).length * factWeight
    // What adds no word may still say something else, and is taken when there is room.
    const gain = Math.max(words + facts, gainMin)
    return (gain * (1 + Math.log(count))) / Math.sqrt(utf8Bytes(best.text) + 1)
  }
}

/** The bytes that are left, of which those of the markers still to come are spoken for. */
class Room {
  readonly #bytesMax: number
  readonly #chosen = new Set<Statement>()
  readonly #missing: Set<string>
  #used = 0

  constructor(clusters: readonly Cluster[], bytesMax: number) {
    // The last line has no break behind it.
    this.#bytesMax = bytesMax + 1
    this.#missing = new Set(clusters.flatMap(({ best }) => best.markers))
    if (bytesOf([...this.#missing]) > this.#bytesMax) {
      throw new ColophonError('compaction_redaction_failed', 'The markers of what was redacted do not fit.')
    }
  }

  isMissingMarkerOf({ markers }: Statement): boolean {
    return markers.some((marker) => this.#missing.has(marker))
  }

  take(statement: Statement): boolean {
    const rest = [...this.#missing].filter((marker) => !statement.markers.includes(marker))
    const used = this.#used + bytesOf([statement.text])
    if (used + bytesOf(rest) > this.#bytesMax || this.#chosen.has(statement)) return false
    this.#used = used
    this.#chosen.add(statement)
    for (const marker of statement.markers) this.#missing.delete(marker)
    return true
  }

  toText(): string {
    const sentences = [...this.#chosen].sort((a, b) => a.order - b.order).map(({ text }) => text)
    return [...sentences, ...this.#missing].join('\n')
  }
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0)
}
