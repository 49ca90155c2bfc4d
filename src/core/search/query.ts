import { relatedWords } from './related-words.ts'
import { stopWords } from './stop-words.ts'
import { termsOf, type Word, wordsOf } from './words.ts'

export type QueryTerm = {
  readonly stem: string
  /** Any term that begins like this fits. */
  readonly prefix: boolean
  /** Set for a word that was not asked, but may be used for some that were. */
  readonly related?: readonly { readonly to: string; readonly closeness: number }[]
}

/** What sort of answer a question waits for. */
export type Cue = 'time' | 'number' | 'place' | 'person'

/** A question, read once: what to look up, and what helps to order what is found. Nothing in it is a query language. */
export type SearchQuery = {
  readonly text: string
  /**
   * What to look up, each once: first what was asked, then words related to it, closest first. Common words are left out
   * unless there is nothing else.
   */
  readonly terms: readonly QueryTerm[]
  /** What stood in quotes, as terms: a result must have each of them, in this order, side by side. Not in a question: there it is a title. */
  readonly phrases: readonly (readonly string[])[]
  readonly cues: ReadonlySet<Cue>
  /** Every word as it was asked, in order, common words included. */
  readonly words: readonly Word[]
}

export function parseQuery(text: string): SearchQuery {
  const words = wordsOf(text)
  const kept = words.filter(({ plain, kind }) => kind !== 'word' || !stopWords.has(plain))
  const asked = askedTerms(text, dropLastOfRun(kept.length > 0 ? kept : words))
  const related = kept.length > 0 ? relatedTerms(asked) : []
  return {
    text,
    terms: [...asked, ...related],
    phrases: isAsked(text) ? [] : phrasesOf(text),
    cues: cuesOf(text),
    words,
  }
}

function askedTerms(text: string, words: readonly Word[]): QueryTerm[] {
  const terms = new Map<string, QueryTerm>()
  for (const word of words) {
    const prefix = text[word.end] === '*' || (word.kind === 'joined' && [...word.term].length === 1)
    const stem = prefix && !word.plain.startsWith(word.term) ? word.plain : word.term
    if (!terms.has(stem) || prefix) terms.set(stem, { stem, prefix })
  }
  return [...terms.values()]
}

/** In "黒猫" the pair is asked for, not also the second character alone. */
function dropLastOfRun(words: readonly Word[]): Word[] {
  return words.filter((word, index) => {
    const before = words[index - 1]
    const isTail = word.kind === 'joined' && [...word.term].length === 1 && before?.kind === 'joined'
    return !(isTail && before.end === word.end)
  })
}

function relatedTerms(asked: readonly QueryTerm[]): QueryTerm[] {
  const isAsked = new Set(asked.map(({ stem }) => stem))
  const found = new Map<string, { to: string; closeness: number }[]>()
  for (const { stem: to, prefix } of asked) {
    for (const { stem, closeness } of prefix ? [] : relatedWords(to)) {
      if (!isAsked.has(stem)) found.set(stem, [...(found.get(stem) ?? []), { to, closeness }])
    }
  }
  const terms = [...found].map(([stem, related]): QueryTerm => ({ stem, prefix: false, related }))
  return terms.sort((a, b) => closenessOf(b) - closenessOf(a))
}

/** How surely it stands for something that was asked, up to 1. */
export function closenessOf({ related }: QueryTerm): number {
  return related === undefined ? 1 : Math.max(...related.map(({ closeness }) => closeness))
}

/** A sentence that asks, not words to look for: what it quotes may be told in other words. */
function isAsked(text: string): boolean {
  return /[?？]\s*$/.test(text) || /^\s*(?:who|whom|whose|what|which|when|where|why|how)\b/i.test(text)
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
  ['person', /\b(?:who|whom|whose)\b/i],
]

function cuesOf(text: string): ReadonlySet<Cue> {
  return new Set(cuePatterns.filter(([, pattern]) => pattern.test(text)).map(([cue]) => cue))
}
