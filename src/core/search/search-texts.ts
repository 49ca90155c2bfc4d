import type { ClassedEntry } from '../entries/entry.ts'
import { hasPhrase, hasTerm, indexedTerms, lookupTerms } from './indexed-terms.ts'
import { parseQuery } from './query.ts'
import { explainScore, rank } from './rank.ts'
import { type Relevance, relevancesOf } from './relevance.ts'
import { termShares } from './term-weights.ts'

/** The same search and ranking over entries that are not in a store, such as a run's scratchpad. */
export function searchTexts(text: string, entries: readonly ClassedEntry[], limit: number) {
  const query = parseQuery(text)
  const { terms, phrases } = lookupTerms(query)
  const rows = entries.map((entry) => ({ entry, terms: indexedTerms(entry.content) }))
  const frequencies = terms.map((term) => rows.filter((row) => hasTerm(row.terms, term)).length)
  const shares = termShares(terms, frequencies)
  const finding = terms.filter((_, at) => (shares[at] ?? 0) > 0)
  const found = rows.filter(
    (row) =>
      finding.some((term) => hasTerm(row.terms, term)) && phrases.every((phrase) => hasPhrase(row.terms, phrase)),
  )
  const byId = new Map(found.map(({ entry }) => [entry.id, entry]))
  const statistics = {
    entries: rows.length,
    frequency: new Map(terms.map(({ stem }, at) => [stem, frequencies[at] ?? 0])),
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
    isOpening: false,
  }))
  const limited = { ...query, terms }
  const ranked = rank(limited, statistics, candidates).slice(0, limit)
  const relevances = relevancesOf(limited, statistics, ranked)
  const hits = ranked.flatMap((scored, at) => {
    const entry = byId.get(scored.candidate.row.id)
    return entry ? [{ entry, ...explainScore(limited, scored), ...(relevances[at] as Relevance) }] : []
  })
  return { query, hits }
}
