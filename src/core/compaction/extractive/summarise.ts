import { chooseStatements } from './choose.ts'
import { type Cluster, clusterStatements, type Statement } from './cluster.ts'
import { sentencesOf } from './sentences.ts'
import { normalForm, termsOf } from './terms.ts'

/**
 * Many texts, the oldest first, as one of at most `bytesMax` bytes. It only ever takes whole sentences out of the texts,
 * word for word: nothing in it was not said, and the same texts give the same summary everywhere.
 *
 * A generator, so that whoever drives it can do something else between two sentences.
 */
export function* summariseTexts(texts: readonly string[], bytesMax: number): Generator<void, string> {
  const statements = yield* distinctStatements(texts)
  const clusters: Cluster[] = yield* clusterStatements(statements.map(({ statement }) => statement))
  const repeats = new Map(statements.map(({ statement, count }) => [statement, count]))
  const weighted = clusters.map(({ best, count }) => ({ best, count: count - 1 + (repeats.get(best) ?? 1) }))
  return yield* chooseStatements(weighted, bytesMax)
}

type Repeated = { statement: Statement; count: number }

/** Every sentence once, with how often it was said; of equal ones the newest, as it is the last that was said. */
function* distinctStatements(texts: readonly string[]): Generator<void, Repeated[]> {
  const found = new Map<string, Repeated>()
  let order = 0
  for (const text of texts) {
    for (const sentence of sentencesOf(text)) {
      yield
      const terms = termsOf(sentence)
      // Markers differ by their names to the letter, and a marker must not get lost.
      const key = `${normalForm(sentence) || sentence}\u0000${terms.markers.join()}`
      const count = (found.get(key)?.count ?? 0) + 1
      found.set(key, { statement: { ...terms, text: sentence, order: order++ }, count })
    }
  }
  return [...found.values()].sort((a, b) => a.statement.order - b.statement.order)
}
