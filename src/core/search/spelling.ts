import { limits } from '../limits.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import type { Word } from './words.ts'

/**
 * Spelling: where no entry has any word of a query, words that entries have may be what was meant. Only there: a word that is unknown
 * beside others that are known is mostly a word that no entry has.
 */

/** A mistake in the first letters is rare, and looking for words with other first letters would read the whole index. */
const sameLetters = 3
/** Shorter words differ from too many others by one letter. */
const lettersMin = 5
/** From so many letters on, two mistakes are accepted. */
const lettersForTwo = 9

/** The words of a query that may be misspelled. */
function spelledWords({ words, terms }: SearchQuery): Word[] {
  const own = new Set(terms.filter(({ related, prefix }) => related === undefined && !prefix).map(({ stem }) => stem))
  const isSpelled = ({ kind, plain, term }: Word) =>
    kind === 'word' && own.has(term) && plain.length >= lettersMin && /^\p{L}+$/u.test(plain)
  return words.filter(isSpelled).slice(0, limits.searchSpelledWordsMax)
}

/** What is looked up for other spellings: every word with the same first letters. */
export function spellingStarts(query: SearchQuery): QueryTerm[] {
  const starts = new Set(spelledWords(query).map(({ term }) => [...term].slice(0, sameLetters).join('')))
  return Array.from(starts, (stem) => ({ stem, prefix: true }))
}

/** The query with the nearest term for each word, of the terms of entries that have such a start; the query itself if none is near. */
export function withSpellings(query: SearchQuery, rows: readonly { readonly terms: readonly string[] }[]): SearchQuery {
  const counts = new Map<string, number>()
  for (const { terms } of rows) for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1)
  const meant = new Map<string, string>()
  for (const word of spelledWords(query)) {
    const nearest = nearestTerm(word, counts)
    if (nearest !== null) meant.set(word.term, nearest)
  }
  if (meant.size === 0) return query
  const own = query.terms.filter(({ related }) => related === undefined)
  const stems = new Map(own.map((term) => [meant.get(term.stem) ?? term.stem, term.prefix]))
  return {
    ...query,
    terms: Array.from(stems, ([stem, prefix]) => ({ stem, prefix })),
    words: query.words.map((word) => ({ ...word, term: meant.get(word.term) ?? word.term })),
  }
}

/** The term with the fewest changes; of equal ones that of the most entries, then the first by its letters. */
function nearestTerm({ term, plain }: Word, counts: ReadonlyMap<string, number>): string | null {
  const start = [...term].slice(0, sameLetters).join('')
  const changesMax = plain.length >= lettersForTwo ? 2 : 1
  let nearest: { readonly other: string; readonly changes: number; readonly count: number } | null = null
  for (const [other, count] of counts) {
    if (!other.startsWith(start) || Math.abs(other.length - term.length) > changesMax) continue
    const changes = changesBetween(term, other)
    if (changes > changesMax) continue
    const isNearer =
      nearest === null ||
      changes < nearest.changes ||
      (changes === nearest.changes && (count > nearest.count || (count === nearest.count && other < nearest.other)))
    if (isNearer) nearest = { other, changes, count }
  }
  return nearest?.other ?? null
}

/** The number of letters to add, remove or replace, or to exchange with the next one (optimal string alignment). */
function changesBetween(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const line = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (last[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1)
      let least = Math.min((last[j] as number) + 1, (line[j - 1] as number) + 1, replaced)
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isExchanged) least = Math.min(least, (before[j - 2] as number) + 1)
      line.push(least)
    }
    before = last
    last = line
  }
  return last[other.length] as number
}
