import type { SearchCandidate } from './candidate.ts'
import type { SearchQuery } from './query.ts'
import { termsOf, type Word } from './words.ts'

/** The speakers of a conversation that a query names. */
export type NamedSpeakers = {
  /** The speaker whose messages the query asks for; null when it names none, or several equally. */
  readonly subject: string | null
  /** The terms of all speakers' names. They occur in most messages, so they do not count as query terms. */
  readonly terms: ReadonlySet<string>
}

/**
 * Finds the speakers that a query names. Of two, the subject is the one that is not possessive ("Ana's garden"), else the
 * first.
 */
export function namedSpeakers(query: SearchQuery, candidates: readonly SearchCandidate[]): NamedSpeakers {
  const speakers = new Set<string>()
  for (const { row } of candidates) if (row.speaker !== null) speakers.add(row.speaker)
  const all = new Set<string>()
  const named: { speaker: string; word: Word }[] = []
  for (const speaker of speakers) {
    const terms = termsOf(speaker).filter(isDistinctive)
    for (const term of terms) all.add(term)
    const word = query.words.find(({ term }) => terms.includes(term))
    if (word) named.push({ speaker, word })
  }
  named.sort((a, b) => a.word.start - b.word.start || (a.speaker < b.speaker ? -1 : 1))
  return { subject: subjectOf(query.text, named), terms: all }
}

/** The number in a handle, or a single character of a name in a script without spaces, also occurs elsewhere. */
function isDistinctive(term: string): boolean {
  return !/^(?:\p{N}+|\p{Lo})$/u.test(term)
}

function subjectOf(text: string, named: readonly { speaker: string; word: Word }[]): string | null {
  const [first, second, ...others] = named
  if (first === undefined || second === undefined) return first?.speaker ?? null
  const areTogether = /\b(?:both|and|or)\b/i.test(text.slice(first.word.start, second.word.start))
  if (areTogether || others.length > 0) return null
  return [first, second].find(({ word }) => !/['’]s?$/.test(text.slice(word.start, word.end)))?.speaker ?? first.speaker
}
