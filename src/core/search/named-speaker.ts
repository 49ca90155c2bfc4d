import type { Candidate } from './candidate.ts'
import type { SearchQuery } from './query.ts'
import { termsOf, type Word } from './words.ts'

export type NamedSpeakers = {
  /** Whose words are asked for; null when nobody is named, or two alike. */
  readonly subject: string | null
  /** The terms of all speakers' names: who speaks is no news in a text, so they do not count as words of the question. */
  readonly terms: ReadonlySet<string>
}

/** Of two who are named, the one who acts is meant: not the one in "Ana's garden", and of others the first. */
export function namedSpeakers(query: SearchQuery, candidates: readonly Candidate[]): NamedSpeakers {
  const speakers = new Set(candidates.flatMap(({ row }) => (row.speaker === null ? [] : [row.speaker])))
  const all = new Set<string>()
  const named: { speaker: string; word: Word }[] = []
  for (const speaker of speakers) {
    const terms = termsOf(speaker).filter(isTelling)
    for (const term of terms) all.add(term)
    const word = query.words.find(({ term }) => terms.includes(term))
    if (word) named.push({ speaker, word })
  }
  named.sort((a, b) => a.word.start - b.word.start || (a.speaker < b.speaker ? -1 : 1))
  return { subject: subjectOf(query.text, named), terms: all }
}

/** The number in a handle, or one character of a name in pairs of them, is also something else. */
function isTelling(term: string): boolean {
  return !/^(?:\p{N}+|\p{Lo})$/u.test(term)
}

function subjectOf(text: string, named: readonly { speaker: string; word: Word }[]): string | null {
  const [first, second, ...others] = named
  if (first === undefined || second === undefined) return first?.speaker ?? null
  const areTogether = /\b(?:both|and|or)\b/i.test(text.slice(first.word.start, second.word.start))
  if (areTogether || others.length > 0) return null
  return [first, second].find(({ word }) => !/['’]s?$/.test(text.slice(word.start, word.end)))?.speaker ?? first.speaker
}
