import type { Candidate } from './candidate.ts'
import type { SearchQuery } from './query.ts'
import { termsOf } from './words.ts'

/** The one speaker whom the question names; nobody when it names two or none. */
export function namedSpeaker(query: SearchQuery, candidates: readonly Candidate[]): string | null {
  const asked = new Set(query.words.map(({ term }) => term))
  const speakers = new Set(candidates.flatMap(({ row }) => (row.speaker === null ? [] : [row.speaker])))
  const named = [...speakers].filter((speaker) => termsOf(speaker).some((term) => asked.has(term)))
  return named.length === 1 ? (named[0] ?? null) : null
}
