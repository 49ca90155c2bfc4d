import { stopWords } from './stop-words.ts'
import { termsOf, type Word, wordsOf } from './words.ts'

export type QueryTerm = {
  readonly stem: string
  /** Any term that begins like this fits. */
  readonly prefix: boolean
}

/** What sort of answer a question waits for. */
export type Cue = 'time' | 'number' | 'place' | 'person' | 'reason'

/** A question, read once: what to look up, and what helps to order what is found. Nothing in it is a query language. */
export type SearchQuery = {
  readonly text: string
  /** What to look up, each once; common words are left out unless there is nothing else. */
  readonly terms: readonly QueryTerm[]
  /** What stood in quotes, as terms: a result must have each of them, in this order, side by side. */
  readonly phrases: readonly (readonly string[])[]
  readonly cues: ReadonlySet<Cue>
  /** Every word as it was asked, in order, common words included. */
  readonly words: readonly Word[]
}

export function parseQuery(text: string): SearchQuery {
  const words = wordsOf(text)
  const isCommon = words.map(({ plain, kind }) => kind === 'word' && stopWords.has(plain))
  const kept = words.filter((_, index) => !isCommon[index])
  const terms = new Map<string, QueryTerm>()
  const looked = dropLastOfRun(kept.length > 0 ? kept : words)
  for (const word of looked) {
    const prefix = text[word.end] === '*' || (word.kind === 'joined' && [...word.term].length === 1)
    const stem = prefix && !word.plain.startsWith(word.term) ? word.plain : word.term
    if (!terms.has(stem) || prefix) terms.set(stem, { stem, prefix })
  }
  return { text, terms: [...terms.values()], phrases: phrasesOf(text), cues: cuesOf(text), words }
}

/** In "黒猫" the pair is asked for, not also the second character alone. */
function dropLastOfRun(words: readonly Word[]): Word[] {
  return words.filter((word, index) => {
    const before = words[index - 1]
    const isTail = word.kind === 'joined' && [...word.term].length === 1 && before?.kind === 'joined'
    return !(isTail && before.end === word.end)
  })
}

function phrasesOf(text: string): string[][] {
  return [...text.matchAll(/["“]([^"“”]+)["”]/g)]
    .map(([, inside = '']) => termsOf(inside))
    .filter((terms) => terms.length > 0)
}

const cuePatterns: readonly (readonly [Cue, RegExp])[] = [
  [
    'time',
    /^\W*(?:when|since when|how long|(?:in|on|at|during|by|around|for)?\s*(?:which|what) (?:year|month|day|date|week|weekend|season|time|age))\b/i,
  ],
  [
    'number',
    /\bhow (?:many|much|old|often|far|tall|big|long|large|heavy)\b|\bwhat (?:number|age|price|amount|score)\b/i,
  ],
  ['place', /\bwhere\b|\b(?:which|what) (?:city|country|state|town|place|places|location|countries|cities|areas?)\b/i],
  ['person', /\bwho\b|\bwhom\b|\bwhose\b/i],
  ['reason', /\bwhy\b|\bhow come\b|\bwhat (?:was the |is the )?reason\b/i],
]

function cuesOf(text: string): ReadonlySet<Cue> {
  return new Set(cuePatterns.filter(([, pattern]) => pattern.test(text)).map(([cue]) => cue))
}
