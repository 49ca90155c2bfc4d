import type { MemoryEntry } from '../entry.ts'
import { hasPhrase, hasTerm, indexedTerms, lookUpOf } from './indexed-terms.ts'
import { parseQuery } from './query.ts'
import { rank } from './rank.ts'

/** The same search over a few entries that are in no store, such as a run's scratchpad. */
export function searchTexts(text: string, entries: readonly MemoryEntry[], limit: number) {
  const query = parseQuery(text)
  const { terms, phrases } = lookUpOf(query)
  const rows = entries.map((entry) => ({ entry, terms: indexedTerms(entry.content) }))
  const found = rows.filter(
    (row) => terms.some((term) => hasTerm(row.terms, term)) && phrases.every((phrase) => hasPhrase(row.terms, phrase)),
  )
  const byId = new Map(found.map(({ entry }) => [entry.id, entry]))
  const statistics = {
    entries: rows.length,
    frequency: new Map(terms.map((term) => [term.stem, rows.filter((row) => hasTerm(row.terms, term)).length])),
  }
  const candidates = found.map((row) => ({
    row: {
      id: row.entry.id,
      text: row.entry.content,
      terms: row.terms,
      speaker: null,
      observedAt: Date.parse(row.entry.createdAt),
      sessionId: null,
    },
    neighbours: [],
  }))
  const hits = rank({ ...query, terms }, statistics, candidates).flatMap(({ candidate, ...ranked }) => {
    const entry = byId.get(candidate.row.id)
    return entry ? [{ entry, ...ranked }] : []
  })
  return { query, hits: hits.slice(0, limit) }
}
