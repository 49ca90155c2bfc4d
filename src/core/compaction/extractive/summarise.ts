import { utf8Bytes } from '../../check.ts'
import { clusterSentences, type SentenceCluster, type SourceSentence } from './cluster.ts'
import { selectSentences } from './select-sentences.ts'
import { markersOf, normalForm, sentenceTermsOf } from './sentence-terms.ts'
import { sentencesOf } from './sentences.ts'

/**
 * Extractive summarisation: reduces texts, oldest first, to one of at most `bytesMax` bytes. It selects whole sentences of the
 * sources, verbatim, so it states nothing that the sources do not state. It is deterministic.
 *
 * A generator, so that the caller can yield to the event loop between two sentences.
 */
export function* summariseTexts(texts: readonly string[], bytesMax: number): Generator<void, string> {
  const distinct = yield* distinctSentences(texts)
  const clusters: SentenceCluster[] = yield* clusterSentences(distinct.map(({ sentence }) => sentence))
  const repeats = new Map(distinct.map(({ sentence, count }) => [sentence, count]))
  const weighted = clusters.map(({ best, count }) => ({ best, count: count - 1 + (repeats.get(best) ?? 1) }))
  const text = yield* selectSentences(weighted, bytesMax)
  // Of near-duplicates the longest is taken. If it does not fit, a shorter one might.
  return text === '' ? shortestOf(distinct, bytesMax) : text
}

function shortestOf(distinct: readonly Repeated[], bytesMax: number): string {
  let shortest = ''
  for (const { sentence } of distinct) {
    const bytes = utf8Bytes(sentence.text)
    if (bytes <= bytesMax && (shortest === '' || bytes < utf8Bytes(shortest))) shortest = sentence.text
  }
  return shortest
}

type Repeated = { sentence: SourceSentence; count: number }

/**
 * Removes duplicates: every sentence once, with its number of occurrences. Of equal ones the newest is kept. Terms are extracted after that,
 * because most of the work is in them.
 */
function* distinctSentences(texts: readonly string[]): Generator<void, Repeated[]> {
  const found = new Map<string, { text: string; order: number; count: number }>()
  let order = 0
  for (const content of texts) {
    for (const text of sentencesOf(content)) {
      yield
      // Marker ids are case-sensitive, and no marker must get lost.
      const key = `${normalForm(text) || text}\u0000${markersOf(text).join()}`
      found.set(key, { text, order: order++, count: (found.get(key)?.count ?? 0) + 1 })
    }
  }
  const repeated: Repeated[] = []
  for (const { text, order, count } of found.values()) {
    yield
    repeated.push({ sentence: { ...sentenceTermsOf(text), text, order }, count })
  }
  return repeated.sort((a, b) => a.sentence.order - b.sentence.order)
}
