import type { SearchQuery } from './query.ts'
import { stopWords } from './stop-words.ts'
import type { Word } from './words.ts'

/** Words that are written with a capital and are no names. */
const notNames = new Set(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december'.split(
    ' ',
  ),
)

/**
 * The words of a query that name a person or a thing: with a capital, and not only because a sentence begins with
 * them. A possessive ("Ana's") is a name even there.
 */
export function queryNames({ text, words }: SearchQuery): Word[] {
  return words.filter((word, at) => {
    if (word.kind !== 'word' || !word.isCapital || stopWords.has(word.plain) || notNames.has(word.plain)) return false
    const isInitial = at === 0 || beginsSentence(text, words[at - 1]?.end ?? 0, word.start)
    return !isInitial || /['’]s$/.test(text.slice(word.start, word.end))
  })
}

/** Whether what is between two words ends a sentence. Read backwards: what is before a long gap is not read again for each place in it. */
function beginsSentence(text: string, from: number, start: number): boolean {
  for (let at = start - 1; at >= from; at--) {
    if (/[.!?:\n]/.test(text.charAt(at))) return true
    if (!/["'”’)\s]/.test(text.charAt(at))) return false
  }
  return false
}
